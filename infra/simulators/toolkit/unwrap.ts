import { constants, createDecipheriv, privateDecrypt, type KeyObject } from 'node:crypto'

/** RFC 5649 §3. */
const PADDED_WRAP_IV = Buffer.from('a65959a6', 'hex')
const AES_BYTES = 32

/** How material is wrapped for import into a cloud. */
export interface Wrapping {
  /** of OAEP */
  readonly oaepHash: 'sha1' | 'sha256'
  /** whether an AES key wraps the material and is wrapped itself */
  readonly twoLayers: boolean
}

/** Unwraps key material. @throws Error for every failure */
export function unwrap(wrappingKey: KeyObject, { oaepHash, twoLayers }: Wrapping, wrapped: Buffer): Buffer {
  const open = (bytes: Buffer) =>
    privateDecrypt({ key: wrappingKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, bytes)
  if (!twoLayers) return open(wrapped)
  const modulusBytes = (wrappingKey.asymmetricKeyDetails?.modulusLength ?? 0) / 8
  const aesKey = open(wrapped.subarray(0, modulusBytes))
  if (aesKey.length !== AES_BYTES) throw new RangeError('The inner key is no AES-256 key.')
  const decipher = createDecipheriv('id-aes256-wrap-pad', aesKey, PADDED_WRAP_IV)
  return Buffer.concat([decipher.update(wrapped.subarray(modulusBytes)), decipher.final()])
}
