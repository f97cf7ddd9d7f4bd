import { createPublicKey, randomUUID, type JsonWebKey, type KeyObject } from 'node:crypto'
import { compactVerify, SignJWT } from 'jose'
import { fieldsOf } from './json-body.ts'
import { generateRsa, pooledRsa } from './key-pairs.ts'

/** Lifetime of every token, by the simulator's clock. */
export const TOKEN_SECONDS = 3_600
const KEY_BITS = 2_048

interface SigningKey {
  readonly kid: string
  readonly key: KeyObject
}

export type Claims = Readonly<Record<string, unknown>>

/** The keys with which an issuer signs its tokens, by RS256. */
export interface TokenKeys {
  /** A token with these claims. The default of `iat` is now, that of `exp` an hour later. */
  readonly issue: (claims: object) => Promise<string>
  /** The token's claims; `undefined` for a token of other keys, or an expired one. */
  readonly claimsOf: (token: string) => Promise<Claims | undefined>
  /** The public keys, newest first. */
  readonly published: () => Promise<{ readonly keys: readonly JsonWebKey[] }>
  /** Creates the key that signs tokens from now on. @param keepsFormer whether the previous one stays published */
  readonly rotate: (keepsFormer: boolean) => Promise<void>
}

/**
 * The first key is created on demand.
 * @param name distinguishes issuers: all simulators of this process share the first key of a name
 * @param now milliseconds since the epoch
 */
export function createTokenKeys(name: string, now: () => number): TokenKeys {
  let made: readonly SigningKey[] | undefined
  const keys = async () => made ?? [{ kid: 'first', key: await pooledRsa(name, KEY_BITS) }]
  return {
    issue: async (claims) => {
      const [current] = await keys()
      if (current === undefined) throw new Error('There is always a key')
      const iat = Math.floor(now() / 1_000)
      return new SignJWT({ iat, exp: iat + TOKEN_SECONDS, ...claims })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: current.kid })
        .sign(current.key)
    },
    claimsOf: async (token) => {
      for (const { key } of await keys()) {
        try {
          const { payload } = await compactVerify(token, createPublicKey(key), { algorithms: ['RS256'] })
          const claims = fieldsOf(JSON.parse(Buffer.from(payload).toString('utf8')))
          return Number(claims.exp) * 1_000 > now() ? claims : undefined
        } catch {
          continue
        }
      }
      return undefined
    },
    published: async () => ({
      keys: (await keys()).map(({ kid, key }) => ({
        ...createPublicKey(key).export({ format: 'jwk' }),
        kid,
        use: 'sig',
      })),
    }),
    rotate: async (keepsFormer) => {
      const next = { kid: randomUUID(), key: await generateRsa(KEY_BITS) }
      made = keepsFormer ? [next, ...(await keys())] : [next]
    },
  }
}
