import { createPublicKey, type KeyObject } from 'node:crypto'
import {
  DIGEST_BYTES,
  ekmAlgorithm,
  type EkmAlgorithm,
  type EkmHash,
} from '../../../crypto/protocols/ekm-algorithms.ts'
import { isPkcs1Signature, isPssSignature, signDigest } from '../../../crypto/signing/sign-digest.ts'
import { sign, SIGNATURES, verify } from '../../../crypto/signing/sign.ts'
import type { Fields } from '../../../base/json.ts'
import { namesOf } from '../../../base/fields.ts'
import { bytesIn, invalid, objectIn, someBytesIn } from './message.ts'
import type { ServedEndpoint } from './served-endpoint.ts'

/** The message, hashed here, or its digest. */
export type ToSign = { readonly data: Buffer } | { readonly digest: Buffer }

type Algorithm = Pick<ServedEndpoint, 'algorithm'>

/** The largest message that the cloud sends for signing without hashing it first. */
const DATA_BYTES = 65_536
const HASHES = namesOf(DIGEST_BYTES)

/** The signing algorithm of an endpoint. @throws Error, a fault, for an endpoint that does not sign */
function signingOf({ algorithm }: Algorithm): NonNullable<EkmAlgorithm['signing']> {
  const { signing } = ekmAlgorithm(algorithm)
  if (signing === undefined) throw new Error('This endpoint does not sign')
  return signing
}

/** Plain bytes, or an object with one member named after the hash. @throws EkmRefusal INVALID_ARGUMENT */
function digestIn(fields: Fields, hash: EkmHash): Buffer {
  if (typeof fields.digest === 'string') return bytesIn(fields, 'digest', DIGEST_BYTES.sha512)
  const digest = objectIn(fields, 'digest') ?? {}
  const given = HASHES.filter((name) => (digest[name] ?? undefined) !== undefined)
  if (given.length !== 1 || given[0] !== hash) throw invalid(`digest must have one member, ${hash}.`)
  return bytesIn(digest, hash, DIGEST_BYTES.sha512)
}

/** Exactly one of `data` and `digest`. @throws EkmRefusal INVALID_ARGUMENT */
export function toSignIn(fields: Fields, endpoint: Algorithm): ToSign {
  const data = bytesIn(fields, 'data', DATA_BYTES)
  const hasDigest = (fields.digest ?? '') !== ''
  if (hasDigest === data.length > 0) throw invalid('Exactly one of data and digest is required.')
  if (!hasDigest) return { data }
  const { hash } = signingOf(endpoint)
  const digest = digestIn(fields, hash)
  if (digest.length !== DIGEST_BYTES[hash])
    throw invalid(`digest must have the ${DIGEST_BYTES[hash]} bytes of ${hash}.`)
  return { digest }
}

export function signWith(endpoint: Algorithm, toSign: ToSign, key: KeyObject): Buffer {
  const { signature, scheme, hash } = signingOf(endpoint)
  if ('data' in toSign) return sign(SIGNATURES[signature], key, toSign.data)
  return signDigest(scheme, key, toSign.digest, hash)
}

/** The signed message or digest, and a signature over it. */
export interface ToVerify {
  readonly signed: ToSign
  readonly signature: Buffer
}

/** Ours: twice the longest signature. */
const SIGNATURE_BYTES = 1_024

/**
 * Exactly one of `data` and `digest`, and `signature`. Ours: ECDSA signatures are verified over data only, since the
 * runtime hashes what it verifies. @throws EkmRefusal INVALID_ARGUMENT
 */
export function toVerifyIn(fields: Fields, endpoint: Algorithm): ToVerify {
  const signed = toSignIn(fields, endpoint)
  if ('digest' in signed && signingOf(endpoint).scheme === 'ecdsa')
    throw invalid('Signatures of elliptic-curve keys are verified over data, not over a digest.')
  return { signed, signature: someBytesIn(fields, 'signature', SIGNATURE_BYTES) }
}

/** Whether a signature is one of the key. */
export function isSignedWith(endpoint: Algorithm, { signed, signature }: ToVerify, key: KeyObject): boolean {
  const { signature: name, scheme, hash } = signingOf(endpoint)
  if ('data' in signed) return verify(SIGNATURES[name], publicOf(key), signed.data, signature)
  const isSignature = scheme === 'rsa-pss' ? isPssSignature : isPkcs1Signature
  return isSignature(key, signed.digest, hash, signature)
}

/** Public keys of cached private keys. */
const publicKeys = new WeakMap<KeyObject, KeyObject>()

function publicOf(key: KeyObject): KeyObject {
  const publicKey = publicKeys.get(key) ?? createPublicKey(key)
  publicKeys.set(key, publicKey)
  return publicKey
}

/** PEM of the SubjectPublicKeyInfo, with a final newline. */
export const publicPem = (key: KeyObject): string => publicOf(key).export({ format: 'pem', type: 'spki' }).toString()
