import { createPublicKey, hash } from 'node:crypto'
import { later } from '../../base/time.ts'
import { LOCAL_ALGORITHMS } from '../../crypto/algorithms.ts'
import { asKeyObject, generateMaterial } from '../../crypto/key-material.ts'
import type { Context } from '../../http/context.ts'
import { sealFor } from '../../keyring/domain-key.ts'
import { signingPurpose } from './identifiers.ts'
import type { StoredKaclsEndpoint } from './store.ts'

const MODULUS_BITS = 2_048
/** Ours: other services cache a key set for minutes, and a delegation token is valid for a quarter of an hour. */
const FORMER_KEY_MS = 2 * 3_600_000
const KEYS_MOST = 10

export type SigningKey = StoredKaclsEndpoint['signing_keys'][number]

/** A new signing key: its public half, and its private half sealed. */
export interface NewSigningKey {
  readonly key: SigningKey
  readonly sealed: string
}

/** @see RFC 7638 §3 */
const thumbprint = (e: string, n: string): string => hash('sha256', JSON.stringify({ e, kty: 'RSA', n }), 'base64url')

/** @param id of the endpoint @throws Refusal TOO_MANY_REQUESTS when too many RSA keys are being generated */
async function makeSigningKey(domain: string, id: string): Promise<NewSigningKey> {
  const material = await generateMaterial(LOCAL_ALGORITHMS.rsa, { sizeBits: MODULUS_BITS })
  const clear = material.bytes.use((bytes) => Buffer.from(bytes))
  try {
    const { n = '', e = '' } = createPublicKey(asKeyObject(material)).export({ format: 'jwk' })
    return { key: { kid: thumbprint(e, n), n, e }, sealed: await sealFor(domain, signingPurpose(id), clear) }
  } finally {
    clear.fill(0)
    material.bytes.destroy()
  }
}

/** A new signing key of an endpoint, generated once per request. @throws Refusal TOO_MANY_REQUESTS */
export const newSigningKey = ({ caller, once }: Pick<Context, 'caller' | 'once'>, id: string): Promise<NewSigningKey> =>
  once(`kacls signing key ${id}`, () => makeSigningKey(caller.domain.id, id))

/** Whether signatures of a key are valid: those of the newest, and those of a former one until its time. */
const counts = ({ until }: SigningKey, now: Date): boolean => until === undefined || Date.parse(until) > now.getTime()

/** The endpoint with a new signing key from now on. Its former keys still verify for a while. */
export function withSigningKey(
  endpoint: StoredKaclsEndpoint,
  { key, sealed }: NewSigningKey,
  now: Date,
): StoredKaclsEndpoint {
  const until = later(now, FORMER_KEY_MS).toISOString()
  const former = endpoint.signing_keys
    .filter((one) => counts(one, now))
    .map((one): SigningKey => ({ ...one, until: one.until ?? until }))
  return { ...endpoint, sealed, signing_keys: [key, ...former].slice(0, KEYS_MOST) }
}
