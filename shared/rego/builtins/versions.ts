import { createHash } from 'node:crypto'
import { integer } from '../number.ts'
import { text as regoText } from '../text.ts'
import { RegoObject } from '../value.ts'
import type { Value } from '../value.ts'
import { BuiltinError } from './builtin.ts'
import type { FunctionBuiltin } from './builtin.ts'
import { chargeCharacters } from './charging.ts'
import { stringOperand } from './operands.ts'
import { compareVersions, parseVersion } from './semver.ts'
import type { Version } from './semver.ts'

type Evaluate = FunctionBuiltin['evaluate']

function versionOperand(operands: readonly Value[], position: number): Version {
  const text = stringOperand(operands, position)
  const version = parseVersion(text)
  if (version === undefined)
    throw new BuiltinError(`operand ${position}: string ${regoText(text)} is not a valid SemVer`)
  return version
}

const compare: Evaluate = (operands, context) => {
  chargeCharacters(context, stringOperand(operands, 1).length + stringOperand(operands, 2).length)
  return compareVersions(versionOperand(operands, 1), versionOperand(operands, 2))
}

const isValid: Evaluate = ([text = null], context) => {
  if (typeof text !== 'string') return false
  chargeCharacters(context, text.length)
  return parseVersion(text) !== undefined
}

/** Plain, in braces, as URN, or without dashes. */
const UUID_FORM =
  /^(?:urn:uuid:|.(?=.{37}$))?([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12}).?$|^([0-9a-f]{32})$/i

const DOMAINS = ['Person', 'Group', 'Org']

/** From the start of the Gregorian calendar to 1970, in units of 100 ns. @see RFC 9562, section 5.1 */
const GREGORIAN_OFFSET = 122_192_928_000_000_000n

/** Undefined, without an error, for any other text. */
const parseUuid: Evaluate = (operands) => {
  const text = stringOperand(operands, 1)
  const isUrn = /^urn:uuid:/i.test(text)
  if (![32, 36, 38, 45].includes(text.length) || (text.length === 45) !== isUrn) return undefined
  const found = UUID_FORM.exec(text)
  if (found === null) return undefined
  const bytes = Buffer.from(found.slice(1).join(''), 'hex')
  return bytes.length === 16 ? describe(bytes) : undefined
}

function describe(bytes: Buffer): RegoObject {
  const [version, variant] = [bytes.readUInt8(6) >> 4, bytes.readUInt8(8)]
  const fields: [string, Value][] = [
    ['version', version],
    ['variant', variantName(variant)],
  ]
  if (version === 1 || version === 2) {
    const ticks =
      BigInt(bytes.readUInt32BE(0)) |
      (BigInt(bytes.readUInt16BE(4)) << 32n) |
      (BigInt(bytes.readUInt16BE(6) & 0xfff) << 48n)
    const first = bytes.readUInt8(10)
    fields.push(
      ['time', integer((ticks - GREGORIAN_OFFSET) * 100n)],
      ['clocksequence', bytes.readUInt16BE(8) & 0x3fff],
      ['nodeid', Array.from(bytes.subarray(10), (byte) => byte.toString(16).padStart(2, '0')).join('-')],
      ['macvariables', `${(first & 2) === 0 ? 'global' : 'local'}:${(first & 1) === 0 ? 'unicast' : 'multicast'}`],
    )
  }
  if (version === 2) {
    const domain = bytes.readUInt8(9)
    fields.push(['id', bytes.readUInt32BE(0)], ['domain', DOMAINS[domain] ?? `Domain${domain}`])
  }
  return RegoObject.from(fields)
}

function variantName(byte: number): string {
  if ((byte & 0xc0) === 0x80) return 'RFC4122'
  if ((byte & 0xe0) === 0xc0) return 'Microsoft'
  return (byte & 0xe0) === 0xe0 ? 'Future' : 'Reserved'
}

/** A random UUID, the same for the same operand within an evaluation. */
const randomUuid: Evaluate = ([name = null], context) => {
  const written = regoText(name)
  chargeCharacters(context, written.length)
  const bytes = createHash('sha256')
    .update(JSON.stringify(['uuid', context.seed, written]))
    .digest()
    .subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export const VERSIONS: readonly FunctionBuiltin[] = [
  { name: 'semver.compare', arity: 2, evaluate: compare },
  { name: 'semver.is_valid', arity: 1, evaluate: isValid },
  { name: 'uuid.parse', arity: 1, evaluate: parseUuid },
  { name: 'uuid.rfc4122', arity: 1, evaluate: randomUuid },
]
