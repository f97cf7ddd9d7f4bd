import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { invalid } from '../wire/errors.ts'

/*
 * Ciphertexts of AES keys: length and text of the key version's id, iv, tag, encrypted bytes. Ours: the cloud's own
 * form is not public.
 */

const [IV_BYTES, TAG_BYTES] = [12, 16]

const cipherOf = (key: Buffer) => `aes-${key.length * 8}-gcm` as 'aes-256-gcm' // the key has 16, 24 or 32 bytes

export function sealed(key: Buffer, versionId: string, associated: Buffer, plaintext: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(cipherOf(key), key, iv).setAAD(associated)
  const parts = [cipher.update(plaintext), cipher.final()]
  const id = Buffer.from(versionId)
  return Buffer.concat([Buffer.of(id.length), id, iv, cipher.getAuthTag(), ...parts])
}

export const versionIn = (ciphertext: Buffer): string => ciphertext.subarray(1, 1 + (ciphertext[0] ?? 0)).toString()

/** @throws ApiError InvalidParameter for every failure */
export function opened(key: Buffer, associated: Buffer, ciphertext: Buffer): Buffer {
  const rest = ciphertext.subarray(1 + (ciphertext[0] ?? 0))
  try {
    const decipher = createDecipheriv(cipherOf(key), key, rest.subarray(0, IV_BYTES))
    decipher.setAAD(associated).setAuthTag(rest.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    return Buffer.concat([decipher.update(rest.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
  } catch {
    throw invalid('The ciphertext is not valid for this key.')
  }
}
