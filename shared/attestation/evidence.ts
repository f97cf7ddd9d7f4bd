/** Checks of evidence, in their order. `message`: the bytes are not an attestation message. */
export const STEPS = ['message', 'key', 'quote', 'signature', 'nonce', 'pcrs', 'log', 'technology', 'snp'] as const
export type Step = (typeof STEPS)[number]

/** Evidence that lacks a required proof. The reason is a sentence without a period, and contains no evidence. */
export class EvidenceError extends Error {
  override readonly name = 'EvidenceError'
  readonly step: Step

  constructor(step: Step, reason: string) {
    super(reason)
    this.step = step
  }
}

/** Reads a structure from its start to its end. Every read is checked against the end. */
export class Cursor {
  readonly #bytes: Buffer
  readonly #fault: () => Error
  #at = 0

  /** @param fault the error of a read past the end */
  constructor(bytes: Buffer, fault: () => Error) {
    this.#bytes = bytes
    this.#fault = fault
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  take(length: number): Buffer {
    if (length > this.#bytes.length - this.#at) throw this.#fault()
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  /** An unsigned number of 1 to 6 bytes, highest byte first. */
  big(bytes: number): number {
    return this.take(bytes).readUIntBE(0, bytes)
  }

  /** The same, lowest byte first. */
  little(bytes: number): number {
    return this.take(bytes).readUIntLE(0, bytes)
  }

  /** Bytes after their length in two bytes: a TPM2B structure. */
  sized(): Buffer {
    return this.take(this.big(2))
  }

  assertAtEnd(): void {
    if (!this.isAtEnd) throw this.#fault()
  }
}
