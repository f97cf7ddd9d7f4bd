import { createSecretKey, type KeyObject } from 'node:crypto'
import { BoundedCache } from '../base/bounded-cache.ts'
import { ciphertextInvalid } from '../crypto/aead.ts'
import { uuid } from '../base/ids.ts'
import { domainKeys, type StoredDomainKey } from './domain-key-store.ts'
import { openUnder, sealedUnder, sealUnder } from './sealing.ts'

/**
 * How long an instance keeps sealing under a domain key after its rotation. Resealing starts after this time, so that
 * no new data is sealed under the old key.
 */
export const DOMAIN_KEY_STALE_MS = 60_000
const KEYS_CACHED = 256

interface Cached {
  readonly id: string
  readonly key: KeyObject
}

const current = new BoundedCache<Cached & { readonly readAt: number }>(KEYS_CACHED)
const opened = new BoundedCache<KeyObject>(KEYS_CACHED)

/** Loaded at the first use, with its client of the SDK: most calls of an instance need no key that is still sealed. */
const rootKey = () => import('./root-key.ts')

async function keyObjectOf(domain: string, { id, sealed }: StoredDomainKey): Promise<KeyObject> {
  const known = opened.get(id)
  if (known) return known
  const { openDomainKey } = await rootKey()
  const bytes = await openDomainKey(domain, id, sealed)
  const key = bytes.use((clear) => createSecretKey(clear))
  bytes.destroy()
  opened.set(id, key)
  return key
}

/** The domain's current key. @throws Error, a fault, for a domain without one; Refusal UNAVAILABLE */
async function currentKey(domain: string): Promise<Cached> {
  const known = current.get(domain)
  // The monotonic clock: the age of a cache entry does not depend on the time of the request.
  if (known && performance.now() - known.readAt < DOMAIN_KEY_STALE_MS) return known
  const stored = await domainKeys.find(domain, 'state', 'current')
  if (stored === undefined) throw new Error(`Domain ${domain} has no key`)
  const key = await keyObjectOf(domain, stored.item)
  const read = { id: stored.item.id, key, readAt: performance.now() }
  current.set(domain, read)
  return read
}

/** Drops the cached current key of a domain, after a rotation in this instance. */
export const forgetCurrentKey = (domain: string): boolean => current.delete(domain)

/** Id of the current key, read now. Two reads. */
export async function freshKeyId(domain: string): Promise<string> {
  forgetCurrentKey(domain)
  return (await currentKey(domain)).id
}

async function keyById(domain: string, id: string): Promise<KeyObject> {
  const known = opened.get(id)
  if (known) return known
  const stored = await domainKeys.get(domain, id)
  if (stored === undefined) throw ciphertextInvalid()
  return keyObjectOf(domain, stored.item)
}

/** A new domain key, ready to be stored. */
export async function newDomainKey(domain: string, version: number, now: Date): Promise<StoredDomainKey> {
  const id = uuid(now)
  const { makeDomainKey } = await rootKey()
  const { key, sealed } = await makeDomainKey(domain, id)
  const opens = key.use((clear) => createSecretKey(clear))
  opened.set(id, opens)
  key.destroy()
  return { id, version, state: 'current', createdAt: now.toISOString(), sealed }
}

/**
 * Seals bytes under the domain's current key.
 * @param purpose kind and owner of the bytes; bound as AAD with the domain, so that data copied to another record does
 * not open
 * @returns `<domain key id>.<base64>`
 */
export async function sealFor(domain: string, purpose: readonly string[], bytes: Uint8Array): Promise<string> {
  const { id, key } = await currentKey(domain)
  return sealUnder(id, key, domain, purpose, bytes)
}

/** Like `sealFor`, under a key that is not stored yet: for the first items of a new domain. */
export function sealUnderNew(
  domain: string,
  { id }: StoredDomainKey,
  purpose: readonly string[],
  bytes: Uint8Array,
): string {
  const key = opened.get(id)
  if (key === undefined) throw new Error('A new domain key is used where it was made')
  return sealUnder(id, key, domain, purpose, bytes)
}

/**
 * Opens the output of `sealFor`. Zero the bytes after use if they are secret. @throws Refusal CIPHERTEXT_INVALID,
 * UNAVAILABLE
 */
export async function openFor(domain: string, purpose: readonly string[], sealed: string): Promise<Buffer> {
  return openUnder(await keyById(domain, sealedUnder(sealed)), domain, purpose, sealed)
}
