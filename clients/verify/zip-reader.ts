import * as fs from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createInflateRaw } from 'node:zlib'

/** The file is not an export, or damaged: its records cannot be verified. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

interface Entry {
  readonly method: number
  readonly compressed: number
  readonly offset: number
}

const SIGNATURE = { local: 0x04034b50, entry: 0x02014b50, end: 0x06054b50, end64: 0x06064b50 } as const
const END_BYTES = 22
const LOCATOR_BYTES = 20
const END64_BYTES = 56
const LOCAL_BYTES = 30
const ENTRY_BYTES = 46
const COMMENT_MOST = 65_535
const ZIP64 = 0x0001
const IN_64 = 0xffff_ffff
const STORED = 0
const DEFLATED = 8
/** Ours: large pieces, since each one costs a turn of the event loop. */
const PIECE_BYTES = 1 << 20

const big = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at))

/** 64-bit values of an entry, which replace those that are at their maximum. @see APPNOTE 4.5.3 */
function wide(extra: Buffer, values: readonly number[]): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== ZIP64) continue
    let next = at + 4
    return values.map((value) => {
      if (value !== IN_64) return value
      next += 8
      return big(extra, next - 8)
    })
  }
  return [...values]
}

/** A ZIP file whose members are read as streams. @see PKWARE APPNOTE.TXT 6.3.10, 4.3 */
export class ZipReader {
  readonly #file: string
  readonly #entries: ReadonlyMap<string, Entry>

  private constructor(file: string, entries: ReadonlyMap<string, Entry>) {
    this.#file = file
    this.#entries = entries
  }

  /** @throws Unreadable */
  static async open(file: string): Promise<ZipReader> {
    const handle = await open(file).catch((cause: unknown) => {
      throw new Unreadable(`${file} cannot be opened`, { cause })
    })
    try {
      return new ZipReader(file, await entriesOf(handle))
    } catch (cause) {
      throw cause instanceof Unreadable ? cause : new Unreadable(`${file} is no ZIP file`, { cause })
    } finally {
      await handle.close()
    }
  }

  get names(): string[] {
    return [...this.#entries.keys()]
  }

  /** The content of a member, in pieces, which the reader may overwrite. @throws Unreadable */
  async *pieces(name: string): AsyncGenerator<Buffer, void> {
    const entry = this.#entries.get(name)
    if (entry === undefined) throw new Unreadable(`The export has no ${name}`)
    const { method, compressed } = entry
    if (compressed === 0) return
    const start = await this.#dataOf(entry)
    const raw = fs.createReadStream(this.#file, { start, end: start + compressed - 1, highWaterMark: PIECE_BYTES })
    if (method !== STORED && method !== DEFLATED) throw new Unreadable(`${name} is compressed in an unknown way`)
    const content =
      method === STORED ? raw : pipeline(raw, createInflateRaw({ chunkSize: PIECE_BYTES }), () => undefined)
    try {
      for await (const piece of content) yield piece as Buffer
    } catch (cause) {
      throw new Unreadable(`${name} is broken`, { cause })
    }
  }

  /** The whole content of a member. @throws Unreadable */
  async bytes(name: string): Promise<Buffer> {
    const pieces: Buffer[] = []
    for await (const piece of this.pieces(name)) pieces.push(piece)
    return Buffer.concat(pieces)
  }

  /** Offset of an entry's data, after its local header. */
  async #dataOf({ offset }: Entry): Promise<number> {
    const handle = await open(this.#file)
    try {
      const head = await read(handle, offset, LOCAL_BYTES)
      if (head.readUInt32LE(0) !== SIGNATURE.local) throw new Unreadable('The ZIP file is broken')
      return offset + LOCAL_BYTES + head.readUInt16LE(26) + head.readUInt16LE(28)
    } finally {
      await handle.close()
    }
  }
}

/** The file states the length itself, so that it is compared with the file's size before memory is used for it. */
async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { size } = await handle.stat()
  if (position + length > size) throw new Unreadable('The ZIP file is cut off')
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await handle.read(bytes, 0, length, position)
  if (bytesRead < length) throw new Unreadable('The ZIP file is cut off')
  return bytes
}

/** Offset and length of the directory. */
async function directoryOf(handle: FileHandle): Promise<{ offset: number; length: number }> {
  const { size } = await handle.stat()
  const from = Math.max(0, size - END_BYTES - COMMENT_MOST)
  const tail = await read(handle, from, size - from)
  let at = tail.length - END_BYTES
  while (at >= 0 && tail.readUInt32LE(at) !== SIGNATURE.end) at--
  if (at < 0) throw new Unreadable('The file is no ZIP file')
  const [length, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
  if (offset !== IN_64) return { offset, length }
  const end = await read(handle, big(tail, at - LOCATOR_BYTES + 8), END64_BYTES)
  if (end.readUInt32LE(0) !== SIGNATURE.end64) throw new Unreadable('The ZIP file is broken')
  return { offset: big(end, 48), length: big(end, 40) }
}

async function entriesOf(handle: FileHandle): Promise<Map<string, Entry>> {
  const { offset: from, length } = await directoryOf(handle)
  const bytes = await read(handle, from, length)
  const entries = new Map<string, Entry>()
  for (let at = 0; at < bytes.length;) {
    if (bytes.readUInt32LE(at) !== SIGNATURE.entry) throw new Unreadable('The ZIP file is broken')
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field))
    const nameEnd = at + ENTRY_BYTES + (nameBytes ?? 0)
    const name = bytes.toString('utf8', at + ENTRY_BYTES, nameEnd)
    const extra = bytes.subarray(nameEnd, nameEnd + (extraBytes ?? 0))
    // in this order, the 64-bit field contains those that do not fit
    const narrow = [bytes.readUInt32LE(at + 24), bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 42)]
    const [, compressed = 0, offset = 0] = wide(extra, narrow)
    // programs differ in which of two they read, so neither counts as exported
    if (entries.has(name)) throw new Unreadable(`The export has ${name} twice`)
    entries.set(name, { method: bytes.readUInt16LE(at + 10), compressed, offset })
    at = nameEnd + (extraBytes ?? 0) + (commentBytes ?? 0)
  }
  return entries
}
