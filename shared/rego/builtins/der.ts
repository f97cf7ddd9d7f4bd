/**
 * DER (ITU-T X.690) as used in certificates: definite, shortest lengths and one-byte tags. Ours: written here because
 * node:crypto exposes neither extensions nor the types in a name.
 */
export interface Der {
  readonly tag: number
  readonly body: Buffer
  /** tag, length and body */
  readonly whole: Buffer
}

/** Not DER, or not the expected structure. */
export class DerError extends Error {
  override readonly name = 'DerError'
}

export const DER = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/** Ours: longest integer that is decoded. Serial numbers have 20 bytes at most. */
const INTEGER_BYTES = 64

/** The elements in sequence. @throws DerError */
export function elementsOf(bytes: Buffer): Der[] {
  const elements: Der[] = []
  for (let rest = bytes; rest.length > 0;) {
    const element = firstOf(rest)
    elements.push(element)
    rest = rest.subarray(element.whole.length)
  }
  return elements
}

function firstOf(bytes: Buffer): Der {
  const [tag = 0, first = 0xff] = bytes
  if ((tag & 0x1f) === 0x1f || first === 0x80 || first > 0x83) throw new DerError('an element that is not DER')
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  if (bytes.length < 2 + lengthBytes) throw new DerError('an element is cut')
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes)
  const start = 2 + lengthBytes
  const isShortest =
    lengthBytes === 0 || (length >= 0x80 && (lengthBytes === 1 || length >= 2 ** (8 * (lengthBytes - 1))))
  if (!isShortest || bytes.length < start + length) throw new DerError('a length is wrong')
  return { tag, body: bytes.subarray(start, start + length), whole: bytes.subarray(0, start + length) }
}

/** The single element in the bytes. @throws DerError */
export function onlyElement(bytes: Buffer, tag: number): Der {
  const [element, more] = elementsOf(bytes)
  if (more !== undefined) throw new DerError('bytes after the end')
  return expectTag(element, tag)
}

/** @throws DerError if it is absent or has another tag */
export function expectTag(element: Der | undefined, tag: number): Der {
  if (element?.tag === tag) return element
  throw new DerError('an element is missing or of another type')
}

/** @throws DerError */
export const membersOf = (element: Der | undefined, tag: number): Der[] => elementsOf(expectTag(element, tag).body)

/** @throws DerError */
export function integerOf(element: Der | undefined): bigint {
  const { body } = expectTag(element, DER.integer)
  const [first, second] = body
  if (first === undefined || body.length > INTEGER_BYTES) throw new DerError('an integer is empty or too long')
  if (second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80)))
    throw new DerError('an integer is not minimal')
  return BigInt.asIntN(body.length * 8, BigInt(`0x${body.toString('hex')}`))
}

/** @throws DerError */
export function booleanOf(element: Der): boolean {
  const [value] = expectTag(element, DER.boolean).body
  if (element.body.length !== 1 || (value !== 0 && value !== 0xff)) throw new DerError('a boolean is not DER')
  return value === 0xff
}

/** @throws DerError */
export function oidOf(element: Der | undefined): number[] {
  const { body } = expectTag(element, DER.oid)
  const arcs: number[] = []
  let arc = 0
  for (const byte of body) {
    arc = arc * 128 + (byte & 0x7f)
    if (arc > 0x7fff_ffff) throw new DerError('an object identifier is too large')
    if (byte >= 0x80) continue
    if (arcs.length > 0) arcs.push(arc)
    else arcs.push(...(arc < 80 ? [Math.floor(arc / 40), arc % 40] : [2, arc - 80]))
    arc = 0
  }
  if (arcs.length === 0 || (body.at(-1) ?? 0) >= 0x80) throw new DerError('an object identifier is cut')
  return arcs
}

/** A BIT STRING: its bytes, and the number of used bits. @throws DerError */
export function bitsOf(element: Der | undefined): { readonly bytes: Buffer; readonly length: number } {
  const { body } = expectTag(element, DER.bits)
  const [unused] = body
  if (unused === undefined || unused > 7 || (body.length === 1 && unused > 0)) throw new DerError('bits are not DER')
  return { bytes: body.subarray(1), length: (body.length - 1) * 8 - unused }
}

const UTC = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/
const GENERALIZED = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/

/** The time in RFC 3339, from the forms of RFC 5280 section 4.1.2.5. @throws DerError */
export function timeOf(element: Der | undefined): string {
  const text = element?.body.toString('latin1') ?? ''
  const [, year = '', ...parts] = (element?.tag === DER.utcTime ? UTC : GENERALIZED).exec(text) ?? []
  if (element?.tag !== DER.utcTime && element?.tag !== DER.time) throw new DerError('a time is missing')
  const whole = year.length === 2 ? `${Number(year) >= 50 ? '19' : '20'}${year}` : year
  const [month, day, hour, minute, second] = parts
  const printed = `${whole}-${month}-${day}T${hour}:${minute}:${second}Z`
  const at = new Date(printed)
  if (Number.isNaN(at.getTime()) || at.toISOString().replace('.000Z', 'Z') !== printed)
    throw new DerError('a time is not valid')
  return printed
}
