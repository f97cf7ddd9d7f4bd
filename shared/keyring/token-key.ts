import { counted } from '../base/counted.ts'
import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose'
import { Refusal } from '../base/errors.ts'
import { ROOT_DOMAIN_ID, uuid } from '../base/ids.ts'
import { signingKeys, type StoredSigningKey } from './signing-key-store.ts'
import { pageOf } from '../store/list.ts'
import type { Stored } from '../store/entity.ts'
import { later, reached } from '../base/time.ts'
import { openFor } from './domain-key.ts'

export const TOKEN_ALGORITHM = 'ES256'
/** Lifetime of a token, returned as its `duration`. */
export const TOKEN_SECONDS = 300
/** Allowed difference between the clocks of instances and of API Gateway. */
const CLOCK_TOLERANCE_SECONDS = 5
/**
 * Present and former keys: a handful even with frequent rotation, since they are removed once their tokens have
 * expired.
 */
const KEYS_READ = 100
const STALE_MS = 60_000
/** An unknown `kid` triggers a fresh read, at most once in this time. */
const REFRESH_INTERVAL_MS = 2_000

export const SIGNING_KEY_PURPOSE = (id: string): string[] => ['signing-key', id]

let known: { readAt: number; keys: readonly Stored<StoredSigningKey>[] } | undefined
let lastRefresh: { readonly at: number; readonly keys: ReturnType<typeof tokenKeys> } | undefined
const publicKeys = new Map<string, KeyObject>()
let signer: { id: string; key: KeyObject } | undefined

/** All keys that may have valid tokens. */
export async function tokenKeys(maxAgeMs = STALE_MS): Promise<readonly Stored<StoredSigningKey>[]> {
  if (known && performance.now() - known.readAt < maxAgeMs) return known.keys
  const { items } = await pageOf(signingKeys, ROOT_DOMAIN_ID, 'all', { skip: 0, limit: KEYS_READ })
  known = { readAt: performance.now(), keys: items }
  for (const kid of publicKeys.keys()) if (!items.some(({ item }) => item.id === kid)) publicKeys.delete(kid)
  return items
}

export function forgetTokenKeys(): void {
  known = undefined
  signer = undefined
}

/** A new signing key, with its private half as PKCS #8 to be sealed. */
export async function newSigningKey(now: Date): Promise<{ key: Omit<StoredSigningKey, 'sealed'>; pkcs8: Buffer }> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  return {
    key: {
      id: uuid(now),
      createdAt: now.toISOString(),
      state: 'present',
      publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    },
    pkcs8: privateKey.export({ format: 'der', type: 'pkcs8' }),
  }
}

/** Ours: the longest time between a rotation's request and its commit. */
const COMMIT_SECONDS = 30

/**
 * When the last token of a key that stops signing now will have expired. Other instances sign with it until their cache
 * is stale.
 */
export const retiresAt = (now: Date): string =>
  later(now, (TOKEN_SECONDS + CLOCK_TOLERANCE_SECONDS + COMMIT_SECONDS) * 1_000 + STALE_MS).toISOString()

async function currentSigner(): Promise<{ id: string; key: KeyObject }> {
  const present = (await tokenKeys()).find(({ item }) => item.state === 'present')
  if (present === undefined) throw new Error('There is no key to sign tokens with')
  const { id, sealed } = present.item
  if (signer?.id === id) return signer
  const pkcs8 = await openFor(ROOT_DOMAIN_ID, SIGNING_KEY_PURPOSE(id), sealed)
  signer = { id, key: createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }) }
  pkcs8.fill(0)
  return signer
}

/**
 * A signed token, valid from `nowSeconds`. Ours: a token that lives longer than `TOKEN_SECONDS` may become invalid
 * earlier, with its key: a key that was rotated because it leaked must not verify any longer.
 */
export async function signToken(claims: JWTPayload, nowSeconds: number, seconds = TOKEN_SECONDS): Promise<string> {
  const { id, key } = await currentSigner()
  return new SignJWT(claims)
    .setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: 'JWT', kid: id })
    .setIssuedAt(nowSeconds)
    .setNotBefore(nowSeconds)
    .setExpirationTime(nowSeconds + seconds)
    .sign(key)
}

/** The key named `kid`, including one created a moment ago. */
async function tokenKeyOf(kid: string): Promise<Stored<StoredSigningKey> | undefined> {
  const named = ({ item }: Stored<StoredSigningKey>): boolean => item.id === kid
  const found = (await tokenKeys()).find(named)
  if (found !== undefined) return found
  const now = performance.now()
  if (lastRefresh === undefined || now - lastRefresh.at >= REFRESH_INTERVAL_MS)
    lastRefresh = { at: now, keys: tokenKeys(0) }
  return (await lastRefresh.keys).find(named)
}

async function publicKeyOf(kid: string | undefined, now: Date): Promise<KeyObject> {
  if (kid === undefined) throw new Refusal('TOKEN_INVALID', 'The token names no key.')
  const stored = await tokenKeyOf(kid)
  // A retired key verifies nothing: it may have been rotated because it leaked.
  if (stored === undefined || reached(stored.item.retiredAt, now))
    throw new Refusal('TOKEN_INVALID', 'The token was signed with a key that is not ours.')
  const cached = publicKeys.get(kid)
  if (cached) return cached
  const key = createPublicKey({ key: Buffer.from(stored.item.publicKey, 'base64'), format: 'der', type: 'spki' })
  publicKeys.set(kid, key)
  return key
}

/**
 * The claims of a token of this service that is valid at `now`.
 * @throws Refusal TOKEN_INVALID: malformed, another algorithm, key, issuer or audience, expired (by how much), not yet
 * valid
 */
export async function verifyToken(jwt: string, issuer: string, audience: string, now: Date): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(jwt, ({ kid }) => publicKeyOf(kid, now), {
      algorithms: [TOKEN_ALGORITHM],
      typ: 'JWT',
      issuer,
      audience,
      currentDate: now,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['sub', 'exp', 'iat'],
    })
    return payload
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (error instanceof errors.JWTExpired) {
      const seconds = Math.floor(now.getTime() / 1_000) - (error.payload.exp ?? 0)
      throw new Refusal(
        'TOKEN_INVALID',
        `The token is expired by ${counted(seconds, 'second')}: get another one with POST /api/v1/auth/tokens.`,
        { cause: error },
      )
    }
    if (error instanceof errors.JOSEError)
      throw new Refusal('TOKEN_INVALID', 'The token is not one of ours: get one with POST /api/v1/auth/tokens.', {
        cause: error,
      })
    throw error
  }
}
