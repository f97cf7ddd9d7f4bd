import { createPublicKey, type KeyObject } from 'node:crypto'
import { USAGE } from '../../../crypto/algorithms.ts'
import { ekmAlgorithm, type EkmAlgorithm } from '../../../crypto/ekm-algorithms.ts'
import { signDigest } from '../../../crypto/sign-digest.ts'
import { sign, SIGNATURES } from '../../../crypto/sign.ts'
import type { Moment } from '../../../base/moment.ts'
import { materialOf } from '../../../serving/key-use/key-version.ts'
import type { ServedEndpoint } from './served-endpoint.ts'
import { assertMay, present } from './use-kek.ts'

/** What is to be signed: the message, which is hashed here, or what it was hashed to. */
export type ToSign = { readonly data: Buffer } | { readonly digest: Buffer }

type Signing = NonNullable<EkmAlgorithm['signing']>

/** How a signing endpoint signs. @throws Error, a fault, for one that does not */
export function signingOf({ algorithm }: Pick<ServedEndpoint, 'algorithm'>): Signing {
  const { signing } = ekmAlgorithm(algorithm)
  if (signing === undefined) throw new Error('This endpoint does not sign')
  return signing
}

/**
 * A signature with the one version a signing endpoint has; ECDSA as DER.
 * @param digest as long as the endpoint's hash
 * @throws Refusal STATE_CONFLICT, USAGE_DENIED, UNAVAILABLE
 */
export async function signWith(endpoint: ServedEndpoint, what: ToSign, now: Moment): Promise<Buffer> {
  const { domain, latest } = endpoint
  assertMay(latest, 'protect', USAGE.sign, now)
  const key = present(await materialOf(domain, latest, now))
  const { signature, scheme, hash } = signingOf(endpoint)
  if ('data' in what) return sign(SIGNATURES[signature], key, what.data)
  return signDigest(scheme, key, what.digest, hash)
}

/** Public halves by private ones, which are kept for a while themselves. */
const publicHalves = new WeakMap<KeyObject, KeyObject>()

async function publicKeyOf({ domain, latest }: ServedEndpoint, now: Moment): Promise<KeyObject> {
  assertMay(latest, 'process', USAGE.verify, now)
  const key = present(await materialOf(domain, latest, now))
  const half = publicHalves.get(key) ?? createPublicKey(key)
  publicHalves.set(key, half)
  return half
}

/** PEM of the SubjectPublicKeyInfo, with a final newline. @throws Refusal STATE_CONFLICT, USAGE_DENIED, UNAVAILABLE */
export async function publicPem(endpoint: ServedEndpoint, now: Moment): Promise<string> {
  return (await publicKeyOf(endpoint, now)).export({ format: 'pem', type: 'spki' }).toString()
}
