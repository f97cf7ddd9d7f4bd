import { randomFillSync } from 'node:crypto'
import { inspect } from 'node:util'

/**
 * Bytes that must not be printed: key material and its sources. Prints as `[secret]` everywhere. Only `use` gives
 * access to the bytes, so that one search lists every place that sees them.
 */
export class SecretBytes {
  readonly #bytes: Buffer
  #destroyed = false

  private constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Copies `bytes`, which remain the caller's to zero. */
  static from(bytes: Uint8Array): SecretBytes {
    const copy = Buffer.alloc(bytes.byteLength) // not from Node's shared pool, unlike Buffer.from
    copy.set(bytes)
    return new SecretBytes(copy)
  }

  /** Takes ownership without copying: the caller must not use `bytes` afterwards; `destroy` zeroes them. */
  static take(bytes: Buffer): SecretBytes {
    return new SecretBytes(bytes)
  }

  /** @param length in bytes */
  static random(length: number): SecretBytes {
    return new SecretBytes(randomFillSync(Buffer.alloc(length)))
  }

  /** In bytes; available even after `destroy`. */
  get length(): number {
    return this.#bytes.length
  }

  /**
   * Passes the bytes to `fn`, which must not keep them: after `destroy` they are zero.
   * @throws RangeError after `destroy`: a fault, no caller can cause it
   */
  use<T>(fn: (bytes: Buffer) => T): T {
    if (this.#destroyed) throw new RangeError('these secret bytes are destroyed')
    return fn(this.#bytes)
  }

  /** Zeroes the bytes. Safe to repeat. */
  destroy(): void {
    this.#destroyed = true
    this.#bytes.fill(0)
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}
