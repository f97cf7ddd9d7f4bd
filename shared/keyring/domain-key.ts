import { createSecretKey, type KeyObject } from 'node:crypto'
import { BoundedCache } from '../base/bounded-cache.ts'
import { ciphertextInvalid } from '../crypto/aead.ts'
import { uuid } from '../base/ids.ts'
import { domainKeys, type StoredDomainKey } from './domain-key-store.ts'
import { makeDomainKey, openDomainKey } from './root-key.ts'
import { openUnder, sealedUnder, sealUnder } from './sealing.ts'

/**
 * How long an instance goes on sealing under a domain key after another took its place. Sealing everything again
 * starts only after this time, so that nothing is sealed under the old key behind its back.
 */
export const DOMAIN_KEY_STALE_MS = 60_000
const KEYS_CACHED = 256

interface Cached {
  readonly id: string
  readonly key: KeyObject
}

const current = new BoundedCache<Cached & { readonly readAt: number }>(KEYS_CACHED)
const opened = new BoundedCache<KeyObject>(KEYS_CACHED)

async function keyObjectOf(domain: string, { id, sealed }: StoredDomainKey): Promise<KeyObject> {
  const known = opened.get(id)
  if (known) return known
  const bytes = await openDomainKey(domain, id, sealed)
  const key = bytes.use((clear) => createSecretKey(clear))
  bytes.destroy()
  opened.set(id, key)
  return key
}

/** The key a domain seals under now. @throws Error, a fault, for a domain without one; Refusal UNAVAILABLE */
async function currentKey(domain: string): Promise<Cached> {
  const known = current.get(domain)
  // The monotonic clock, not the request's: how long a cache may live has nothing to do with what time it is.
  if (known && performance.now() - known.readAt < DOMAIN_KEY_STALE_MS) return known
  const stored = await domainKeys.find(domain, 'state', 'current')
  if (stored === undefined) throw new Error(`Domain ${domain} has no key`)
  const key = await keyObjectOf(domain, stored.item)
  const read = { id: stored.item.id, key, readAt: performance.now() }
  current.set(domain, read)
  return read
}

/** Forgets which key a domain seals under: where it was just rotated. */
export const forgetCurrentKey = (domain: string): boolean => current.delete(domain)

/** Id of the key that `sealFor` seals under from now on, looked up anew. Two reads. */
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

/** A new key for a domain, ready to be stored. */
export async function newDomainKey(domain: string, version: number, now: Date): Promise<StoredDomainKey> {
  const id = uuid(now)
  const { key, sealed } = await makeDomainKey(domain, id)
  const opens = key.use((clear) => createSecretKey(clear))
  opened.set(id, opens)
  key.destroy()
  return { id, version, state: 'current', createdAt: now.toISOString(), sealed }
}

/**
 * Seals bytes under the domain's key.
 * @param purpose what they are and whose: bound to the domain, so that a sealing moved elsewhere does not open
 * @returns `<domain key id>.<base64>`
 */
export async function sealFor(domain: string, purpose: readonly string[], bytes: Uint8Array): Promise<string> {
  const { id, key } = await currentKey(domain)
  return sealUnder(id, key, domain, purpose, bytes)
}

/** As `sealFor`, under a key that is not stored yet: for the first things of a new domain. */
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

/** What `sealFor` sealed. Zero it after use if it is secret. @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE */
export async function openFor(domain: string, purpose: readonly string[], sealed: string): Promise<Buffer> {
  return openUnder(await keyById(domain, sealedUnder(sealed)), domain, purpose, sealed)
}
