import { constants, createPrivateKey, privateDecrypt, privateEncrypt, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { AlgorithmRow } from './algorithms.ts'
import { invalid } from './errors.ts'

const privateKey = (pkcs8: Buffer): KeyObject => createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })

/** The salt of PSS is as long as the hash. */
const PADDINGS = {
  pss: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
  pkcs1: { padding: constants.RSA_PKCS1_PADDING },
} as const

/** @returns ECDSA signatures as DER sequences @throws ApiError INVALID_ARGUMENT for data that does not fit the key */
export function signData({ hash, padding, name }: AlgorithmRow, pkcs8: Buffer, data: Buffer): Buffer {
  const key = privateKey(pkcs8)
  if (padding !== 'raw-pkcs1') {
    const options = padding === 'pss' || padding === 'pkcs1' ? PADDINGS[padding] : {}
    return sign(hash, data, { key, ...options })
  }
  try {
    return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, data)
  } catch {
    throw invalid(`Data of ${data.length} bytes is too long for ${name}.`)
  }
}

/** @throws ApiError INVALID_ARGUMENT, whatever is wrong */
export function decryptRsa({ hash }: AlgorithmRow, pkcs8: Buffer, ciphertext: Buffer): Buffer {
  const options = { key: privateKey(pkcs8), padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: hash }
  try {
    return privateDecrypt(options, ciphertext)
  } catch {
    throw invalid('Decryption failed: the ciphertext is invalid.')
  }
}
