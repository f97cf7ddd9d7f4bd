import { crc32 } from 'node:zlib'

/**
 * The frame of a ZIP file that is written from beginning to end, without knowing sizes in advance: sizes and CRC follow each
 * member (a data descriptor) and are repeated in the directory at the end. Every member may exceed 4 GiB.
 * @see PKWARE APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3
 */
export interface ZipMember {
  readonly name: string
  /** of its local header, in bytes from the beginning of the file */
  readonly offset: number
  /** of the content so far, while it is being written */
  readonly crc: number
  readonly bytes: number
  readonly compressed: number
}

const SIGNATURE = { local: 0x04034b50, descriptor: 0x08074b50, entry: 0x02014b50, end: 0x06054b50 } as const
const SIGNATURE_64 = { end: 0x06064b50, locator: 0x07064b50 } as const
/** The version of the format that introduced 64-bit sizes. */
const VERSION = 45
/** Flags: sizes follow the member; its name is UTF-8. */
const FLAGS = 0x0808
const DEFLATED = 8
/** Ours: the earliest time of the format, 1980-01-01; the evidence contains the time of the export. */
const DATE = 0x0021
const ZIP64_FIELD = 0x0001
/** The value of a 32-bit field whose real value is in a 64-bit field. */
const SEE_64 = 0xffff_ffff

/** Bytes of fields, each of a width of 2, 4 or 8 bytes. */
function fields(...widths: readonly (readonly [width: 2 | 4 | 8, value: number])[]): Buffer {
  const bytes = Buffer.alloc(widths.reduce((sum, [width]) => sum + width, 0))
  let at = 0
  for (const [width, value] of widths) {
    if (width === 8) at = bytes.writeBigUInt64LE(BigInt(value), at)
    else at = bytes.writeUIntLE(value, at, width)
  }
  return bytes
}

/** A member without content. */
export const newMember = (name: string, offset: number): ZipMember => ({
  name,
  offset,
  crc: 0,
  bytes: 0,
  compressed: 0,
})

/** The member with more content, counted before compression. */
export const grown = (member: ZipMember, content: Uint8Array): ZipMember => ({
  ...member,
  crc: crc32(content, member.crc),
  bytes: member.bytes + content.length,
})

export function localHeader({ name }: ZipMember): Buffer {
  const bytes = Buffer.from(name)
  const zip64 = fields([2, ZIP64_FIELD], [2, 16], [8, 0], [8, 0])
  const head = fields(
    [4, SIGNATURE.local],
    [2, VERSION],
    [2, FLAGS],
    [2, DEFLATED],
    [2, 0],
    [2, DATE],
    [4, 0], // CRC
    [4, SEE_64],
    [4, SEE_64],
    [2, bytes.length],
    [2, zip64.length],
  )
  return Buffer.concat([head, bytes, zip64])
}

/** The data descriptor after the content of a member. */
export const descriptor = ({ crc, compressed, bytes }: ZipMember): Buffer =>
  fields([4, SIGNATURE.descriptor], [4, crc], [8, compressed], [8, bytes])

function entry({ name, offset, crc, bytes, compressed }: ZipMember): Buffer {
  const nameBytes = Buffer.from(name)
  const zip64 = fields([2, ZIP64_FIELD], [2, 24], [8, bytes], [8, compressed], [8, offset])
  const head = fields(
    [4, SIGNATURE.entry],
    [2, VERSION],
    [2, VERSION],
    [2, FLAGS],
    [2, DEFLATED],
    [2, 0],
    [2, DATE],
    [4, crc],
    [4, SEE_64],
    [4, SEE_64],
    [2, nameBytes.length],
    [2, zip64.length],
    [2, 0],
    [2, 0],
    [2, 0],
    [4, 0],
    [4, SEE_64],
  )
  return Buffer.concat([head, nameBytes, zip64])
}

/** The end of the file: its directory. @param offset where it begins */
export function directory(members: readonly ZipMember[], offset: number): Buffer {
  const entries = Buffer.concat(members.map(entry))
  const end = offset + entries.length
  const count = members.length
  return Buffer.concat([
    entries,
    fields(
      [4, SIGNATURE_64.end],
      [8, 44],
      [2, VERSION],
      [2, VERSION],
      [4, 0],
      [4, 0],
      [8, count],
      [8, count],
      [8, entries.length],
      [8, offset],
    ),
    fields([4, SIGNATURE_64.locator], [4, 0], [8, end], [4, 1]),
    fields([4, SIGNATURE.end], [2, 0], [2, 0], [2, count], [2, count], [4, entries.length], [4, SEE_64], [2, 0]),
  ])
}
