import { constants, privateDecrypt, type KeyObject } from 'node:crypto'
import { ciphertextInvalid } from '../../../crypto/aead.ts'

/** for keys of 2,048 bits */
export const CIPHERTEXT_BYTES = 256

/** RSAES-OAEP, SHA-256 for hash and mask, empty label. @see RFC 8017 §7.1.2. @throws Refusal CIPHERTEXT_INVALID */
export function decrypted(key: KeyObject, bytes: Buffer): Buffer {
  try {
    return privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, bytes)
  } catch {
    throw ciphertextInvalid()
  }
}
