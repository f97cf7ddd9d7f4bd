import { TlsRefusal } from './refusals.ts'

/** Reads the presentation language of TLS. Every read that does not fit is a decode_error. @see RFC 8446 §3 */
export class ByteReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  /** The next `length` bytes, shared with the input. */
  take(length: number): Buffer {
    if (length > this.left) throw new TlsRefusal('decode_error')
    const bytes = this.#bytes.subarray(this.#at, this.#at + length)
    this.#at += length
    return bytes
  }

  /** An unsigned number of 1 to 6 bytes, big-endian. */
  number(bytes: number): number {
    return this.take(bytes).readUIntBE(0, bytes)
  }

  /** A vector whose length precedes it in `lengthBytes` bytes. */
  vector(lengthBytes: number, least = 0, most = Infinity): Buffer {
    const length = this.number(lengthBytes)
    if (length < least || length > most) throw new TlsRefusal('decode_error')
    return this.take(length)
  }

  /** Refuses bytes that follow. */
  end(): void {
    if (this.left > 0) throw new TlsRefusal('decode_error')
  }
}

/** Applies `read` until the bytes are used up. */
export function listOf<T>(bytes: Buffer, read: (reader: ByteReader) => T): T[] {
  const reader = new ByteReader(bytes)
  const list: T[] = []
  while (reader.left > 0) list.push(read(reader))
  return list
}

/** An unsigned number of 1 to 6 bytes, big-endian. */
export function number(bytes: number, value: number): Buffer {
  const written = Buffer.alloc(bytes)
  written.writeUIntBE(value, 0, bytes)
  return written
}

/** A vector with its length before it. */
export function vector(lengthBytes: number, ...parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.byteLength, 0)
  return Buffer.concat([number(lengthBytes, length), ...parts])
}
