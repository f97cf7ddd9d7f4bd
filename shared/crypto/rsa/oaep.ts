import { constants, privateDecrypt, publicEncrypt, type KeyObject } from 'node:crypto'
import { ciphertextInvalid } from '../aead.ts'
import { modulusBytesOf } from '../public-half.ts'
import { DIGEST_BYTES, type DigestName } from '../signing/sign-digest.ts'

/** RSAES-OAEP with one hash for the label and the mask, and an empty label. @see RFC 8017 §7.1 */

const optionsOf = (key: KeyObject, oaepHash: DigestName) => ({
  key,
  padding: constants.RSA_PKCS1_OAEP_PADDING,
  oaepHash,
})

/** The most bytes that a key encrypts. @see RFC 8017 §7.1.1, step 1 */
export const oaepMost = (key: KeyObject, name: DigestName): number => modulusBytesOf(key) - 2 * DIGEST_BYTES[name] - 2

/** @param key either half of a pair @param plaintext at most `oaepMost` bytes, a longer one is a fault */
export const encryptOaep = (key: KeyObject, name: DigestName, plaintext: Buffer): Buffer =>
  publicEncrypt(optionsOf(key, name), plaintext)

/** @param key the private half. @throws Refusal CIPHERTEXT_INVALID, the same for every cause */
export function decryptOaep(key: KeyObject, name: DigestName, ciphertext: Buffer): Buffer {
  if (ciphertext.length !== modulusBytesOf(key)) throw ciphertextInvalid()
  try {
    return privateDecrypt(optionsOf(key, name), ciphertext)
  } catch {
    throw ciphertextInvalid()
  }
}
