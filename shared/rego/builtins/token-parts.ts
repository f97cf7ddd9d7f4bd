import { RegoObject, isArray } from '../value.ts'
import type { Value } from '../value.ts'
import { BuiltinError, OperandError } from './builtin.ts'
import type { BuiltinContext } from './builtin.ts'
import { Base64Error, decodeBase64Url } from './base64.ts'
import { chargeCharacters } from './charging.ts'
import { JsonSyntaxError, readJson } from './json-read.ts'
import { mustBe } from './operands.ts'

/** A token in its compact form, still encoded. @see RFC 7515, section 7.1 */
export interface EncodedToken {
  readonly header: string
  readonly payload: string
  readonly signature: string
  /** the signed text */
  readonly signed: string
}

/** The header members that decide how a token is checked; the others are listed by name. */
export interface TokenHeader {
  readonly alg: string
  readonly kid: string
  readonly cty: string
  /** whether it has all required members, and no critical ones that are unknown (RFC 7515, 4.1.11) */
  readonly valid: boolean
}

/** @throws OperandError, BuiltinError; LimitError past `tokenUnits` */
export function splitToken(value: Value, context: BuiltinContext): EncodedToken {
  if (typeof value !== 'string') throw new OperandError(1, mustBe('string', value))
  if (value.length > context.limits.tokenUnits) return context.exceed('a token is too long')
  chargeCharacters(context, value.length)
  const sections = value.split('.')
  if (sections.length === 1) throw new BuiltinError('encoded JWT had no period separators')
  const [header = '', payload = '', signature = ''] = sections
  if (sections.length !== 3) throw new BuiltinError(`encoded JWT must have 3 sections, found ${sections.length}`)
  return { header, payload, signature, signed: `${header}.${payload}` }
}

/** @param what names the section in the message; if absent, the message is that of the encoding */
export function decodeSection(section: string, what?: string): Buffer {
  try {
    return decodeBase64Url(section)
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error
    throw new BuiltinError(what === undefined ? error.message : `JWT ${what} had invalid encoding: ${error.message}`)
  }
}

/** A JSON object. @param where prefix of the message */
export function objectIn(text: string, context: BuiltinContext, where = ''): RegoObject {
  try {
    const value = readJson(text, context)
    if (value instanceof RegoObject) return value
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new BuiltinError(`${where}invalid JSON: ${error.message}`)
    throw error
  }
  throw new BuiltinError(`${where}decoded JSON type was not an Object`)
}

/** @throws BuiltinError, also for an encrypted token (RFC 7516, section 9) */
export function decodeHeader(token: EncodedToken, context: BuiltinContext): RegoObject {
  const header = objectIn(decodeSection(token.header, 'header').toString('utf8'), context, 'bad JWT header: ')
  if (header.has('enc')) throw new BuiltinError('JWT is a JWE object, which is not supported')
  return header
}

export const decodePayload = (token: EncodedToken): string => decodeSection(token.payload, 'payload').toString('utf8')

const KNOWN = ['alg', 'kid', 'typ', 'cty', 'crit']

/** @throws BuiltinError for a known member of the wrong type */
export function checkHeader(header: RegoObject): TokenHeader {
  const member = (name: string): string => {
    const value = header.get(name) ?? ''
    if (typeof value !== 'string') throw new BuiltinError(`${name}: must be a string`)
    return value
  }
  const [alg, kid, cty] = [member('alg'), member('kid'), member('cty')]
  member('typ')
  const critical = header.get('crit')
  if (critical === undefined) return { alg, kid, cty, valid: alg !== '' }
  if (!isArray(critical)) throw new BuiltinError('crit: must be a list')
  if (!critical.some((name) => typeof name === 'string')) throw new BuiltinError('crit: must be a nonempty list')
  // Ours: a name that the header does not contain counts as unknown, and so does one of another type.
  const known = critical.every((name) => typeof name === 'string' && KNOWN.includes(name))
  return { alg, kid, cty, valid: alg !== '' && known }
}
