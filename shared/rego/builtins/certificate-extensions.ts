import type { Value } from '../value.ts'
import { integer } from '../number.ts'
import { ia5 } from './certificate-names.ts'
import { bitsOf, booleanOf, DER, DerError, elementsOf, integerOf, membersOf, oidOf, onlyElement } from './der.ts'
import type { Der } from './der.ts'

export interface Extension {
  readonly id: readonly number[]
  readonly critical: boolean
  readonly value: Buffer
}

type Fields = readonly (readonly [string, Value])[]

/** Context tags of GeneralName, RFC 5280 section 4.2.1.6. */
const GENERAL = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const

/** The fields that Go derives from extensions; as there, an empty list is null. @throws DerError */
export function extensionFields(extensions: readonly Extension[]): Fields {
  const valueOf = (id: string): Buffer | undefined => extensions.find((each) => each.id.join('.') === id)?.value
  return [
    ['KeyUsage', keyUsage(valueOf('2.5.29.15'))],
    ...extendedKeyUsage(valueOf('2.5.29.37')),
    ...basicConstraints(valueOf('2.5.29.19')),
    ...alternativeNames(valueOf('2.5.29.17')),
    ['SubjectKeyId', subjectKeyId(valueOf('2.5.29.14'))],
    ['AuthorityKeyId', authorityKeyId(valueOf('2.5.29.35'))],
  ]
}

const orNull = (values: readonly Value[]): Value => (values.length === 0 ? null : values)

/** Bit 0 of the extension is the lowest bit of the number. */
function keyUsage(value: Buffer | undefined): number {
  if (value === undefined) return 0
  const { bytes, length } = bitsOf(onlyElement(value, DER.bits))
  let usage = 0
  for (let bit = 0; bit < Math.min(length, 9); bit++) {
    if (((bytes[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0) usage |= 1 << bit
  }
  return usage
}

/** Go's numbers for key purposes, by object identifier. */
const PURPOSES: readonly string[] = [
  '2.5.29.37.0',
  ...['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((last) => `1.3.6.1.5.5.7.3.${last}`),
  '1.3.6.1.4.1.311.10.3.3',
  '2.16.840.1.113730.4.1',
  '1.3.6.1.4.1.311.2.1.22',
  '1.3.6.1.4.1.311.61.1.1',
]

function extendedKeyUsage(value: Buffer | undefined): Fields {
  const ids = value === undefined ? [] : membersOf(onlyElement(value, DER.sequence), DER.sequence).map(oidOf)
  const numbers = ids.map((id) => PURPOSES.indexOf(id.join('.')))
  return [
    ['ExtKeyUsage', orNull(numbers.filter((number) => number >= 0))],
    ['UnknownExtKeyUsage', orNull(ids.filter((_id, index) => numbers[index] === -1))],
  ]
}

/** As in Go, an absent path length is -1 if there are constraints. */
function basicConstraints(value: Buffer | undefined): Fields {
  const members = value === undefined ? [] : membersOf(onlyElement(value, DER.sequence), DER.sequence)
  const isAuthority = members[0]?.tag === DER.boolean && booleanOf(members[0])
  const last = members.at(-1)
  const length = last?.tag === DER.integer ? integer(integerOf(last)) : value === undefined ? 0 : -1
  return [
    ['BasicConstraintsValid', value !== undefined],
    ['IsCA', isAuthority],
    ['MaxPathLen', length],
    ['MaxPathLenZero', value !== undefined && length === 0],
  ]
}

function alternativeNames(value: Buffer | undefined): Fields {
  const names = value === undefined ? [] : membersOf(onlyElement(value, DER.sequence), DER.sequence)
  const of = (tag: number): Der[] => names.filter((each) => each.tag === tag)
  const texts = (tag: number): Value => orNull(of(tag).map(({ body }) => ia5(body)))
  return [
    ['DNSNames', texts(GENERAL.dns)],
    ['EmailAddresses', texts(GENERAL.email)],
    ['IPAddresses', orNull(of(GENERAL.ip).map(({ body }) => address(body)))],
    ['URIStrings', texts(GENERAL.uri)],
  ]
}

function address(body: Buffer): string {
  if (body.length === 4) return body.join('.')
  if (body.length !== 16) throw new DerError('an address has another length')
  const groups = Array.from({ length: 8 }, (_, index) => body.readUInt16BE(index * 2).toString(16))
  // An IPv4-mapped address is printed as IPv4.
  if (groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff') return body.subarray(12).join('.')
  const host = new URL(`http://[${groups.join(':')}]/`).hostname // compressed according to RFC 5952
  return host.slice(1, -1)
}

function subjectKeyId(value: Buffer | undefined): Value {
  return value === undefined ? null : onlyElement(value, DER.octets).body.toString('base64')
}

function authorityKeyId(value: Buffer | undefined): Value {
  if (value === undefined) return null
  const [id] = elementsOf(onlyElement(value, DER.sequence).body)
  return id?.tag === 0x80 ? id.body.toString('base64') : null
}
