import { hash } from 'node:crypto'
import { Unreadable } from './zip-reader.ts'

/** Ours: longer than any record. A line without an end must not be copied with every piece. */
const LINE_BYTES_MOST = 1 << 22
const NEW_LINE = 0x0a
const COMMA = 0x2c
const OPENING = 0x7b
/** Prefix of a leaf. @see RFC 9162 §2.1.1 */
const LEAF = 0x00

/** A line of a list. Its bytes are overwritten by the next piece. */
export interface Line {
  /** from 1, as in an editor */
  readonly number: number
  /** leaf hash of its record: 32 bytes */
  readonly leaf: Buffer
  /** the record's bytes, without the comma that follows */
  readonly bytes: Buffer
}

/**
 * Hashes the lines of a JSON list of records, in which each record is on a separate line. The byte before a line
 * becomes the prefix of its leaf, so that no byte is copied.
 * @throws Unreadable for a line that is longer than any record
 */
export async function eachLine(pieces: AsyncIterable<Buffer>, take: (line: Line) => void): Promise<void> {
  /** the end of the previous piece: the byte before an incomplete line, and the line so far */
  let rest: Buffer = Buffer.alloc(1)
  let number = 0
  const record = (bytes: Buffer, before: number, end: number): void => {
    number++
    if (bytes[before + 1] !== OPENING || end <= before + 1) return
    const last = bytes[end - 1] === COMMA ? end - 1 : end
    bytes[before] = LEAF
    const leaf = hash('sha256', bytes.subarray(before, last), 'buffer')
    take({ number, leaf, bytes: bytes.subarray(before + 1, last) })
  }
  for await (const piece of pieces) {
    const bytes = Buffer.concat([rest, piece])
    let before = 0
    for (let end = bytes.indexOf(NEW_LINE, 1); end !== -1; end = bytes.indexOf(NEW_LINE, end + 1)) {
      record(bytes, before, end)
      before = end
    }
    rest = bytes.subarray(before)
    if (rest.length > LINE_BYTES_MOST) throw new Unreadable(`Line ${number + 1} is longer than any record`)
  }
  if (rest.length > 1) record(rest, 0, rest.length)
}
