import { constants, createDecipheriv, privateDecrypt } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { ImportMethod } from './enums.ts'

/** RFC 5649 §3. */
const PADDED_WRAP_IV = Buffer.from('a65959a6', 'hex')
const AES_BYTES = 32

interface ImportRow {
  readonly modulusBits: 3072 | 4096
  readonly oaepHash: 'sha1' | 'sha256'
  /** whether an AES key lies between */
  readonly twoLayers: boolean
}

const row = (modulusBits: ImportRow['modulusBits'], oaepHash: ImportRow['oaepHash'], twoLayers: boolean) => ({
  modulusBits,
  oaepHash,
  twoLayers,
})

const ROWS: Readonly<Record<ImportMethod, ImportRow>> = {
  RSA_OAEP_3072_SHA1_AES_256: row(3072, 'sha1', true),
  RSA_OAEP_4096_SHA1_AES_256: row(4096, 'sha1', true),
  RSA_OAEP_3072_SHA256_AES_256: row(3072, 'sha256', true),
  RSA_OAEP_4096_SHA256_AES_256: row(4096, 'sha256', true),
  RSA_OAEP_3072_SHA256: row(3072, 'sha256', false),
  RSA_OAEP_4096_SHA256: row(4096, 'sha256', false),
}

export const importRow = (method: ImportMethod): ImportRow => ROWS[method]

/** @returns `undefined` whatever is wrong with what was wrapped */
export function unwrap(wrappingKey: KeyObject, method: ImportMethod, wrapped: Buffer): Buffer | undefined {
  const { oaepHash, twoLayers, modulusBits } = ROWS[method]
  const open = (bytes: Buffer) =>
    privateDecrypt({ key: wrappingKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, bytes)
  try {
    if (!twoLayers) return open(wrapped)
    const aesKey = open(wrapped.subarray(0, modulusBits / 8))
    if (aesKey.length !== AES_BYTES) return undefined
    const decipher = createDecipheriv('id-aes256-wrap-pad', aesKey, PADDED_WRAP_IV)
    return Buffer.concat([decipher.update(wrapped.subarray(modulusBits / 8)), decipher.final()])
  } catch {
    return undefined
  }
}
