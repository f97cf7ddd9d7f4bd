import { constants, privateDecrypt, privateEncrypt, sign } from 'node:crypto'
import { DIGEST_BYTES, signatureOver } from '../toolkit/digest-signatures.ts'
import { privateKeyOf, PSS } from '../toolkit/key-pairs.ts'
import type { AlgorithmRow } from './algorithms.ts'
import { invalid } from './errors.ts'

const PADDINGS = {
  pss: PSS,
  pkcs1: { padding: constants.RSA_PKCS1_PADDING },
} as const

/** @returns ECDSA signatures as DER sequences @throws ApiError INVALID_ARGUMENT for data that does not fit the key */
export function signData({ hash, padding, name }: AlgorithmRow, pkcs8: Buffer, data: Buffer): Buffer {
  const key = privateKeyOf(pkcs8)
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

/** Signs the caller's digest. @throws ApiError INVALID_ARGUMENT for a digest of another hash */
export function signOver({ hash, padding, name }: AlgorithmRow, pkcs8: Buffer, digest: Buffer): Buffer {
  const known = (['sha256', 'sha384', 'sha512'] as const).find((each) => each === hash)
  if (known === undefined || padding === 'raw-pkcs1') throw invalid(`${name} signs data, not digests.`)
  if (digest.length !== DIGEST_BYTES[known]) throw invalid(`The digest is not one of ${known}.`)
  const scheme = padding === 'pss' ? 'rsa-pss' : padding === 'pkcs1' ? 'rsa-pkcs1' : 'ecdsa'
  return signatureOver(scheme, privateKeyOf(pkcs8), digest, known)
}

/** @throws ApiError INVALID_ARGUMENT for every failure */
export function decryptRsa({ hash }: AlgorithmRow, pkcs8: Buffer, ciphertext: Buffer): Buffer {
  const options = { key: privateKeyOf(pkcs8), padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: hash }
  try {
    return privateDecrypt(options, ciphertext)
  } catch {
    throw invalid('Decryption failed: the ciphertext is invalid.')
  }
}
