import { constants, createHash, privateDecrypt } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { ciphertextInvalid } from '../aead.ts'
import { modulusBytesOf } from '../public-half.ts'
import { DIGEST_BYTES, longestSalt, signDigest } from '../signing/sign-digest.ts'

/** Algorithms of the private-key methods of Workspace client-side encryption, under the suite's names for them. */

type SmimeHash = 'sha1' | 'sha256' | 'sha512'

/** A signature over a digest that the caller computed. */
export interface SmimeSignature {
  readonly scheme: 'rsa-pkcs1' | 'rsa-pss'
  readonly hash: SmimeHash
  /** length of the digest */
  readonly digestBytes: number
}

/** How the content key of a message is encrypted. Without a hash: RSAES-PKCS1-v1_5; with one: RSAES-OAEP. */
export interface SmimeDecryption {
  readonly oaepHash?: SmimeHash
}

const signature = (scheme: SmimeSignature['scheme'], hash: SmimeHash): SmimeSignature => ({
  scheme,
  hash,
  digestBytes: DIGEST_BYTES[hash],
})

const SIGNATURES = new Map([
  ['sha1withrsa', signature('rsa-pkcs1', 'sha1')],
  ['sha256withrsa', signature('rsa-pkcs1', 'sha256')],
  ['sha512withrsa', signature('rsa-pkcs1', 'sha512')],
  ['sha1withrsa/pss', signature('rsa-pss', 'sha1')],
  ['sha256withrsa/pss', signature('rsa-pss', 'sha256')],
  ['sha512withrsa/pss', signature('rsa-pss', 'sha512')],
])

const DECRYPTIONS = new Map<string, SmimeDecryption>([
  ['rsa/ecb/pkcs1padding', {}],
  ['rsa/ecb/oaepwithsha-1andmgf1padding', { oaepHash: 'sha1' }],
  ['rsa/ecb/oaepwithsha-256andmgf1padding', { oaepHash: 'sha256' }],
  ['rsa/ecb/oaepwithsha-512andmgf1padding', { oaepHash: 'sha512' }],
])

/** The row of a name in any case; `undefined` for unknown ones. */
export const smimeSignature = (name: string): SmimeSignature | undefined => SIGNATURES.get(name.toLowerCase())

/** The row of a name in any case; `undefined` for unknown ones. */
export const smimeDecryption = (name: string): SmimeDecryption | undefined => DECRYPTIONS.get(name.toLowerCase())

/** The longest salt, in bytes, that a PSS row allows with a key. */
export const mostSaltBytes = ({ hash }: SmimeSignature, key: KeyObject): number => longestSalt(key, hash)

/**
 * @param key private RSA @param digest of `digestBytes`
 * @param saltBytes for PSS, at most `mostSaltBytes`; default the length of the hash
 * @throws RangeError for another length: a fault, the caller checks it
 */
export const signGivenDigest = (
  { scheme, hash }: SmimeSignature,
  key: KeyObject,
  digest: Buffer,
  saltBytes?: number,
): Buffer => signDigest(scheme, key, digest, hash, saltBytes)

/** OpenSSL's error code for a number that is not below the modulus. */
const TOO_LARGE = 'ERR_OSSL_RSA_DATA_TOO_LARGE_FOR_MODULUS'

/**
 * RSAES-PKCS1-v1_5 with implicit rejection: for a malformed ciphertext, it returns pseudo-random bytes that depend only
 * on key and ciphertext, in the same time. The runtime implements it, and throws on an OpenSSL without it.
 * @see draft-irtf-cfrg-rsa-guidance §7
 */
const decryptPkcs1 = (key: KeyObject, ciphertext: Buffer): Buffer =>
  privateDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, ciphertext)

/** A number below the modulus that depends only on the ciphertext. Moduli of whole bytes have their first bit set. */
function standIn(ciphertext: Buffer): Buffer {
  const number = createHash('shake256', { outputLength: ciphertext.length }).update(ciphertext).digest()
  number.writeUInt8(number.readUInt8(0) & 0x7f, 0)
  return number
}

/**
 * Ours: RFC 8017 §7.2.2 refuses a number that is not below the modulus, which is not secret. Here it is answered like
 * any other malformed ciphertext.
 */
function decryptRejecting(key: KeyObject, ciphertext: Buffer): Buffer {
  try {
    return decryptPkcs1(key, ciphertext)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === TOO_LARGE)) throw error
    return decryptPkcs1(key, standIn(ciphertext))
  }
}

/** MGF1 uses the same hash. */
function decryptOaep(key: KeyObject, ciphertext: Buffer, oaepHash: SmimeHash, oaepLabel: Buffer): Buffer {
  try {
    return privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash, oaepLabel }, ciphertext)
  } catch {
    throw ciphertextInvalid()
  }
}

/**
 * The content key of a message, in a separate buffer: zero it after use.
 * @param key private RSA @param label of OAEP, often empty; PKCS #1 v1.5 has none
 * @throws Refusal CIPHERTEXT_INVALID for another length than the modulus, and for any failure of OAEP. Malformed
 * padding of PKCS #1 v1.5 is never refused: a caller who could detect it could decrypt and sign without the key
 */
export function decryptContentKey(
  { oaepHash }: SmimeDecryption,
  key: KeyObject,
  ciphertext: Buffer,
  label: Buffer,
): Buffer {
  if (ciphertext.length !== modulusBytesOf(key)) throw ciphertextInvalid()
  return oaepHash === undefined ? decryptRejecting(key, ciphertext) : decryptOaep(key, ciphertext, oaepHash, label)
}
