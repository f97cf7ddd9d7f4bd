/**
 * The subset of DER (ITU-T X.690) that key files and certificates need: definite, shortest lengths and one-byte
 * tags. Ours: written here because OpenSSL opens keys but not PKCS #12 containers, and a parser package would bring its own crypto.
 */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,

  context0: 0xa0,
}

export interface Der {
  readonly tag: number
  readonly body: Buffer
  /** Tag, length and body. */
  readonly whole: Buffer
}

/** Not DER, or not the expected structure. Callers convert it into a refusal. */
export class DerError extends Error {
  override readonly name = 'DerError'
}

/** Exactly one element without trailing bytes. @throws DerError */
export function readDer(bytes: Buffer, tag?: number): Der {
  const [element, rest] = next(bytes)
  if (rest.length > 0) throw new DerError('bytes after the end')
  return tag === undefined ? element : expectTag(element, tag)
}

/** The elements inside `element`, in order. @throws DerError */
export function membersOf(element: Der): Der[] {
  const members: Der[] = []
  for (let rest = element.body; rest.length > 0;) {
    const [member, after] = next(rest)
    members.push(member)
    rest = after
  }
  return members
}

/** The member at `index`, which must exist and have `tag`. @throws DerError */
export function memberAt(members: readonly Der[], index: number, tag: number): Der {
  const member = members[index]
  if (member === undefined) throw new DerError('an element is missing')
  return expectTag(member, tag)
}

/** A non-negative INTEGER. @throws DerError */
export function bigintOf(element: Der): bigint {
  const { body } = expectTag(element, TAG.integer)
  if (body.length === 0 || body.readInt8(0) < 0) throw new DerError('a negative or empty integer')
  return BigInt(`0x${body.toString('hex')}`) // byte by byte, a long integer takes quadratic time
}

/** Encodes one element around `parts`. */
export function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body])
  const length = unsigned(body.length)
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body])
}

/** An INTEGER from a non-negative number. */
export function derInteger(value: number | bigint): Buffer {
  const digits = value.toString(16)
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return der(TAG.integer, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes)
}

/** An OBJECT IDENTIFIER from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...arcs] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second, ...arcs].flatMap((arc) => {
    const digits = [arc & 0x7f]
    for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift(0x80 | (rest & 0x7f))
    return digits
  })
  return der(TAG.oid, Buffer.from(bytes))
}

/** The dotted form of an OBJECT IDENTIFIER. Ours: only arcs below 2^31, which includes all in use. @throws DerError */
export function dottedOf(element: Der): string {
  const arcs: number[] = []
  let arc = 0
  let begun = false
  for (const byte of expectTag(element, TAG.oid).body) {
    if ((!begun && byte === 0x80) || arc >= 2 ** 24) throw new DerError('not an object identifier')
    arc = arc * 128 + (byte & 0x7f)
    begun = byte >= 0x80
    if (begun) continue
    if (arcs.length === 0) arcs.push(Math.min(2, Math.floor(arc / 40)), arc - 40 * Math.min(2, Math.floor(arc / 40)))
    else arcs.push(arc)
    arc = 0
  }
  if (begun || arcs.length === 0) throw new DerError('not an object identifier')
  return arcs.join('.')
}

function next(bytes: Buffer): [element: Der, rest: Buffer] {
  const [tag, first] = bytes
  if (tag === undefined || first === undefined) throw new DerError('cut short')
  if ((tag & 0x1f) === 0x1f) throw new DerError('a tag of several bytes')
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  // 0x80 is the indefinite form of BER; four bytes are more than any key file needs
  if (first === 0x80 || lengthBytes > 4 || bytes.length < 2 + lengthBytes) throw new DerError('not a DER length')
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes)
  if (lengthBytes > 0 && (length < 0x80 || bytes[2] === 0)) throw new DerError('not the shortest length')
  const start = 2 + lengthBytes
  if (bytes.length < start + length) throw new DerError('cut short')
  const whole = bytes.subarray(0, start + length)
  return [{ tag, body: whole.subarray(start), whole }, bytes.subarray(start + length)]
}

function expectTag(element: Der, tag: number): Der {
  if (element.tag !== tag) throw new DerError('another element was expected')
  return element
}

function unsigned(value: number): Buffer {
  const bytes = [value & 0xff]
  for (let rest = Math.floor(value / 256); rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest & 0xff)
  return Buffer.from(bytes)
}
