import { constants, createPublicKey, diffieHellman, privateDecrypt, publicEncrypt, sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { namesOf } from '../../toolkit/by-name.ts'
import {
  DIGEST_BYTES,
  isSignatureOver,
  signatureOver,
  type DigestHash,
  type DigestScheme,
} from '../../toolkit/digest-signatures.ts'
import { privateKeyOf, PSS, publicKeyOf } from '../../toolkit/key-pairs.ts'
import { invalidCiphertext, validation } from '../wire/refusals.ts'

/** Parameters of a signature: its hash, and the padding of RSA. */
const SIGNATURE_ROWS = {
  RSASSA_PKCS1_V1_5_SHA_256: { hash: 'sha256', options: { padding: constants.RSA_PKCS1_PADDING } },
  RSASSA_PKCS1_V1_5_SHA_384: { hash: 'sha384', options: { padding: constants.RSA_PKCS1_PADDING } },
  RSASSA_PKCS1_V1_5_SHA_512: { hash: 'sha512', options: { padding: constants.RSA_PKCS1_PADDING } },
  RSASSA_PSS_SHA_256: { hash: 'sha256', options: PSS },
  RSASSA_PSS_SHA_384: { hash: 'sha384', options: PSS },
  RSASSA_PSS_SHA_512: { hash: 'sha512', options: PSS },
  ECDSA_SHA_256: { hash: 'sha256', options: {} },
  ECDSA_SHA_384: { hash: 'sha384', options: {} },
  ECDSA_SHA_512: { hash: 'sha512', options: {} },
} as const

type SignatureName = keyof typeof SIGNATURE_ROWS
export const SIGNATURES = namesOf(SIGNATURE_ROWS)

const schemeOf = (algorithm: SignatureName): DigestScheme =>
  algorithm.startsWith('ECDSA') ? 'ecdsa' : algorithm.startsWith('RSASSA_PSS') ? 'rsa-pss' : 'rsa-pkcs1'

/** @throws ServiceError ValidationException unless the digest is as long as the algorithm's hash */
function hashFor(algorithm: SignatureName, digest: Buffer): DigestHash {
  const { hash } = SIGNATURE_ROWS[algorithm]
  if (digest.length === DIGEST_BYTES[hash]) return hash
  throw validation(`Digest is invalid length for algorithm ${algorithm}.`)
}

export const signOver = (material: Buffer, algorithm: SignatureName, digest: Buffer): Buffer =>
  signatureOver(schemeOf(algorithm), privateKeyOf(material), digest, hashFor(algorithm, digest))

export const verifyOver = (material: Buffer, algorithm: SignatureName, digest: Buffer, signature: Buffer): boolean =>
  isSignatureOver(schemeOf(algorithm), privateKeyOf(material), digest, hashFor(algorithm, digest), signature)

const OAEP_HASHES: Readonly<Record<string, string>> = { RSAES_OAEP_SHA_1: 'sha1', RSAES_OAEP_SHA_256: 'sha256' }

/** @returns SubjectPublicKeyInfo in DER */
export const publicBytesOf = (material: Buffer): Buffer => publicKeyOf(material).export({ format: 'der', type: 'spki' })

/** @returns ECDSA signatures as DER sequences */
export function signMessage(material: Buffer, algorithm: SignatureName, message: Buffer): Buffer {
  const { hash, options } = SIGNATURE_ROWS[algorithm]
  return sign(hash, message, { key: privateKeyOf(material), ...options })
}

export function verifyMessage(material: Buffer, algorithm: SignatureName, message: Buffer, signature: Buffer): boolean {
  const { hash, options } = SIGNATURE_ROWS[algorithm]
  return verify(hash, message, { key: publicKeyOf(material), ...options }, signature)
}

const oaep = (key: KeyObject, algorithm: string) => {
  const oaepHash = OAEP_HASHES[algorithm]
  if (oaepHash === undefined) throw validation(`${algorithm} is not simulated.`)
  return { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }
}

/** @throws ServiceError ValidationException if the plaintext does not fit the key */
export function encryptRsa(material: Buffer, algorithm: string, plaintext: Buffer): Buffer {
  const options = oaep(publicKeyOf(material), algorithm)
  try {
    return publicEncrypt(options, plaintext)
  } catch {
    throw validation(`Plaintext of ${plaintext.length} bytes is too long for this key with ${algorithm}.`)
  }
}

/** @throws ServiceError InvalidCiphertextException */
export function decryptRsa(material: Buffer, algorithm: string, ciphertext: Buffer): Buffer {
  const options = oaep(privateKeyOf(material), algorithm)
  try {
    return privateDecrypt(options, ciphertext)
  } catch {
    throw invalidCiphertext()
  }
}

/**
 * @param peer SubjectPublicKeyInfo in DER @throws ServiceError ValidationException if it is not a key of the same curve
 */
export function agree(material: Buffer, peer: Buffer): Buffer {
  try {
    const publicKey = createPublicKey({ key: peer, format: 'der', type: 'spki' })
    return diffieHellman({ privateKey: privateKeyOf(material), publicKey })
  } catch {
    throw validation('PublicKey is not a key on the same curve.')
  }
}
