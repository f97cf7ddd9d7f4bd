import { DerError, TAG, der } from './der.ts'

/** Constructed OCTET STRING, in parts. @see ITU-T X.690 §8.7.3 */
const OCTETS_IN_PARTS = 0x24
/** Ours: deeper than any file nests. */
const DEPTH_MOST = 32
const END = Buffer.of(0, 0)

interface Read {
  readonly bytes: Buffer
  /** what follows the element */
  readonly rest: Buffer
}

/**
 * The same value in DER, as far as `der.ts` asks for it: lengths are definite and shortest, and strings of octets in one part.
 * Octets within such strings are left as they are. Java, NSS and Windows write PKCS #12 files in BER.
 * @throws DerError for anything but one whole element
 * @see ITU-T X.690 §8.1.3, §8.7.3
 */
export function derOfBer(ber: Buffer): Buffer {
  const { bytes, rest } = element(ber, 0)
  if (rest.length > 0) throw new DerError('bytes after the end')
  return bytes
}

function element(ber: Buffer, depth: number): Read {
  const [tag, first] = ber
  if (tag === undefined || first === undefined) throw new DerError('cut short')
  if ((tag & 0x1f) === 0x1f) throw new DerError('a tag of several bytes')
  if (depth > DEPTH_MOST) throw new DerError('nested too deep')
  const isConstructed = (tag & 0x20) !== 0
  if (first === 0x80) {
    if (!isConstructed) throw new DerError('no length')
    const { parts, rest } = untilEnd(ber.subarray(2), depth)
    return { bytes: joined(tag, parts), rest }
  }
  const { start, end } = bounds(ber, first)
  const body = ber.subarray(start, end)
  const bytes = isConstructed ? joined(tag, partsOf(body, depth)) : der(tag, body)
  return { bytes, rest: ber.subarray(end) }
}

function bounds(ber: Buffer, first: number): { start: number; end: number } {
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  if (lengthBytes > 6 || ber.length < 2 + lengthBytes) throw new DerError('not a length')
  const start = 2 + lengthBytes
  const end = start + (lengthBytes === 0 ? first : ber.readUIntBE(2, lengthBytes))
  if (ber.length < end) throw new DerError('cut short')
  return { start, end }
}

function partsOf(body: Buffer, depth: number): Buffer[] {
  const parts: Buffer[] = []
  for (let rest = body; rest.length > 0;) {
    const read = element(rest, depth + 1)
    parts.push(read.bytes)
    rest = read.rest
  }
  return parts
}

function untilEnd(ber: Buffer, depth: number): { parts: Buffer[]; rest: Buffer } {
  const parts: Buffer[] = []
  let rest = ber
  while (!rest.subarray(0, 2).equals(END)) {
    const read = element(rest, depth + 1)
    parts.push(read.bytes)
    rest = read.rest
  }
  return { parts, rest: rest.subarray(2) }
}

const joined = (tag: number, parts: readonly Buffer[]): Buffer =>
  tag === OCTETS_IN_PARTS ? der(TAG.octetString, octetsIn(parts)) : der(tag, ...parts)

/** The octets of a string in parts, each of them in DER. @throws DerError for another part */
export function octetsIn(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(
    parts.map((part) => {
      if (part[0] !== TAG.octetString) throw new DerError('not a part of a string')
      const first = part[1] ?? 0
      return part.subarray(first < 0x80 ? 2 : 2 + (first & 0x7f))
    }),
  )
}
