import { createPublicKey, randomUUID, type KeyObject } from 'node:crypto'
import { compactVerify, SignJWT } from 'jose'
import { generateRsa, pooledRsa } from '../toolkit/key-pairs.ts'

const LIFE_SECONDS = 3_600
const KEY_BITS = 2_048

export const issuerOf = (tenant: string): string => `https://sts.windows.net/${tenant}/`

interface SigningKey {
  readonly kid: string
  readonly key: KeyObject
}

/** The keys that sign the tokens of all tenants. */
export interface TokenKeys {
  /** A token, good for an hour of the simulator's clock. */
  readonly issue: (tenant: string, audience: string, claims: object) => Promise<string>
  /** Its claims; `undefined` for a token of other keys, or past its end. */
  readonly claimsOf: (token: string) => Promise<Readonly<Record<string, unknown>> | undefined>
  readonly published: () => object
  /** Tokens are signed by a new key from now on. @param keepsFormer whether the one before stays published */
  readonly rotate: (keepsFormer: boolean) => Promise<void>
}

/** @param now milliseconds since the epoch */
export async function createTokenKeys(now: () => number): Promise<TokenKeys> {
  let keys: readonly SigningKey[] = [{ kid: 'first', key: await pooledRsa('docsuite', KEY_BITS) }]
  return {
    issue: async (tenant, audience, claims) => {
      const [current] = keys
      if (current === undefined) throw new Error('There is always a key')
      const iat = Math.floor(now() / 1_000)
      const usual = {
        iss: issuerOf(tenant),
        aud: audience,
        iat,
        nbf: iat,
        exp: iat + LIFE_SECONDS,
        tid: tenant,
        ver: '1.0',
      }
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: current.kid })
        .sign(current.key)
    },
    claimsOf: async (token) => {
      for (const { key } of keys) {
        try {
          const { payload } = await compactVerify(token, createPublicKey(key), { algorithms: ['RS256'] })
          const claims = JSON.parse(Buffer.from(payload).toString('utf8')) as Readonly<Record<string, unknown>>
          return Number(claims.exp) * 1_000 > now() ? claims : undefined
        } catch {
          continue
        }
      }
      return undefined
    },
    published: () => ({
      keys: keys.map(({ kid, key }) => ({ ...createPublicKey(key).export({ format: 'jwk' }), kid, use: 'sig' })),
    }),
    rotate: async (keepsFormer) => {
      const made = { kid: randomUUID(), key: await generateRsa(KEY_BITS) }
      keys = keepsFormer ? [made, ...keys] : [made]
    },
  }
}
