import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import * as z from 'zod'
import { BoundedCache } from '../base/bounded-cache.ts'
import { Changes, Stale } from '../store/changes.ts'
import { entity } from '../store/entity.ts'
import { object } from '../base/lazy-fields.ts'
import { openFor, sealFor } from './domain-key.ts'

const ONLY = 'request-key'
export const REQUEST_KEY_PURPOSE = [ONLY]
const KEY_BYTES = 32
const KEYS_CACHED = 256

/** Reads served: the one request key of a domain, sealed under the domain's key. */
export const requestKeys = entity({
  name: 'request-key',
  schema: object(() => ({ id: z.string(), sealed: z.string() })),
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
})

const opened = new BoundedCache<KeyObject>(KEYS_CACHED)

/** The sealed key; the first request of the domain that needs it creates it. */
async function sealedKey(domain: string, now: Date): Promise<string> {
  const stored = await requestKeys.get(domain, ONLY)
  if (stored !== undefined) return stored.item.sealed
  const bytes = randomBytes(KEY_BYTES)
  const sealed = await sealFor(domain, REQUEST_KEY_PURPOSE, bytes)
  bytes.fill(0)
  const changes = new Changes()
  changes.create(requestKeys, domain, { id: ONLY, sealed })
  try {
    await changes.commit(now)
    return sealed
  } catch (error) {
    if (error instanceof Stale) return sealedKey(domain, now) // another request created it
    throw error
  }
}

async function requestKey(domain: string, now: Date): Promise<KeyObject> {
  const known = opened.get(domain)
  if (known) return known
  const bytes = await openFor(domain, REQUEST_KEY_PURPOSE, await sealedKey(domain, now))
  const key = createSecretKey(bytes)
  bytes.fill(0)
  opened.set(domain, key)
  return key
}

/**
 * A name for a request that reveals nothing about it: HMAC-SHA-256 (RFC 2104) under a key of the domain, in hex. A
 * plain digest of a body with a short secret could be guessed by anyone who can read the table. The key stays the same
 * when the domain's key is rotated, so that repeated requests are still recognized.
 * @param digest of the request
 */
export async function requestName(domain: string, digest: string, now: Date): Promise<string> {
  return createHmac('sha256', await requestKey(domain, now))
    .update(digest)
    .digest('hex')
}
