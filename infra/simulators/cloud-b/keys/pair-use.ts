import { constants, privateDecrypt, publicEncrypt, type KeyObject } from 'node:crypto'
import { der, integer, integerAt, parsed, sequence } from '../../toolkit/asn1.ts'
import {
  DIGEST_BYTES,
  isSignatureOver,
  signatureOver,
  type DigestHash,
  type DigestScheme,
} from '../../toolkit/digest-signatures.ts'
import { privateKeyOf, publicKeyOf } from '../../toolkit/key-pairs.ts'
import { badParameter } from '../wire/errors.ts'
import { CURVES } from './key-specs.ts'

const RSA_PADDINGS: Readonly<Record<string, { readonly padding: number; readonly oaepHash?: string }>> = {
  RSA1_5: { padding: constants.RSA_PKCS1_PADDING },
  'RSA-OAEP': { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' },
  'RSA-OAEP-256': { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
}

const paddingOf = (alg: string) => {
  const row = RSA_PADDINGS[alg]
  if (row === undefined) throw badParameter(`Algorithm '${alg}' is not valid for this key and operation.`)
  return row
}

/** @throws ApiError BadParameter for another algorithm, and for data that does not fit */
export function encryptRsa(alg: string, pkcs8: Buffer, value: Buffer): Buffer {
  const row = paddingOf(alg)
  try {
    return publicEncrypt({ key: publicKeyOf(pkcs8), ...row }, value)
  } catch {
    throw badParameter('The value is too long for the key.')
  }
}

/** @throws ApiError BadParameter for every failure */
export function decryptRsa(alg: string, pkcs8: Buffer, value: Buffer): Buffer {
  const row = paddingOf(alg)
  try {
    return privateDecrypt({ key: privateKeyOf(pkcs8), ...row }, value)
  } catch {
    throw badParameter('The value cannot be decrypted with the key.')
  }
}

interface SigningRow {
  readonly scheme: DigestScheme
  readonly hash: DigestHash
  /** Curve of an EC key. */
  readonly crv?: string
}

const SIGNATURES: Readonly<Record<string, SigningRow>> = {
  RS256: { scheme: 'rsa-pkcs1', hash: 'sha256' },
  RS384: { scheme: 'rsa-pkcs1', hash: 'sha384' },
  RS512: { scheme: 'rsa-pkcs1', hash: 'sha512' },
  PS256: { scheme: 'rsa-pss', hash: 'sha256' },
  PS384: { scheme: 'rsa-pss', hash: 'sha384' },
  PS512: { scheme: 'rsa-pss', hash: 'sha512' },
  ES256: { scheme: 'ecdsa', hash: 'sha256', crv: 'P-256' },
  ES256K: { scheme: 'ecdsa', hash: 'sha256', crv: 'P-256K' },
  ES384: { scheme: 'ecdsa', hash: 'sha384', crv: 'P-384' },
  ES512: { scheme: 'ecdsa', hash: 'sha512', crv: 'P-521' },
}

interface Signer {
  readonly alg: string
  readonly crv: string | undefined
  readonly pkcs8: Buffer
  readonly digest: Buffer
}

function checked({ alg, crv, pkcs8, digest }: Signer): SigningRow & { readonly key: KeyObject } {
  const row = SIGNATURES[alg]
  if (row === undefined || row.crv !== crv)
    throw badParameter(`Algorithm '${alg}' is not valid for this key and operation.`)
  if (digest.length !== DIGEST_BYTES[row.hash])
    throw badParameter(
      `Invalid length of value: ${digest.length} bytes; a digest of ${alg} has ${DIGEST_BYTES[row.hash]}.`,
    )
  return { ...row, key: privateKeyOf(pkcs8) }
}

/** Signs a digest; a signature of an EC key is its two numbers at full length. @throws ApiError BadParameter */
export function signDigest(signer: Signer): Buffer {
  const { scheme, key, hash } = checked(signer)
  const signature = signatureOver(scheme, key, signer.digest, hash)
  if (signer.crv === undefined) return signature
  const bytes = CURVES[signer.crv]?.bytes ?? 0
  const numbers = [0, 1].map((index) => integerAt(parsed(signature), index).toString(16))
  return Buffer.from(numbers.map((digits) => digits.padStart(bytes * 2, '0')).join(''), 'hex')
}

/** @throws ApiError BadParameter as for signing */
export function verifyDigest(signer: Signer, signature: Buffer): boolean {
  const { scheme, key, hash } = checked(signer)
  return isSignatureOver(scheme, key, signer.digest, hash, signer.crv === undefined ? signature : asDer(signature))
}

function asDer(raw: Buffer): Buffer {
  const half = raw.length / 2
  if (!Number.isInteger(half) || half === 0) return Buffer.alloc(0)
  const numbers = [raw.subarray(0, half), raw.subarray(half)].map((part) => BigInt(`0x${part.toString('hex')}`))
  return der(sequence(...numbers.map(integer)))
}
