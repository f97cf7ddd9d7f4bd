import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { ciphertextInvalid } from './aead.ts'

const CIPHER = 'aes-256-gcm'
/** NIST SP 800-38D §5.2.1.2: the full tag. */
export const TAG_BYTES = 16
const OPTIONS = { authTagLength: TAG_BYTES } as const

/** The output of an encryption with the caller's iv. */
export interface GcmOutput {
  /** as long as the plaintext */
  readonly ciphertext: Buffer
  /** 16 bytes */
  readonly tag: Buffer
}

/** AES-256-GCM with the caller's iv. @param iv never used before under this key */
export function encryptGcm(key: KeyObject, plaintext: Buffer, iv: Buffer, aad: Buffer): GcmOutput {
  const cipher = createCipheriv(CIPHER, key, iv, OPTIONS).setAAD(aad)
  const ciphertext = cipher.update(plaintext)
  cipher.final() // GCM is a stream mode: `final` returns nothing, but the tag needs it
  return { ciphertext, tag: cipher.getAuthTag() }
}

/** The plaintext. @throws Refusal CIPHERTEXT_INVALID, the same for every cause */
export function decryptGcm(key: KeyObject, { ciphertext, tag }: GcmOutput, iv: Buffer, aad: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, key, iv, OPTIONS).setAAD(aad)
  decipher.setAuthTag(tag)
  const plaintext = decipher.update(ciphertext)
  try {
    decipher.final()
  } catch {
    plaintext.fill(0) // unauthenticated plaintext must not leak
    throw ciphertextInvalid()
  }
  return plaintext
}
