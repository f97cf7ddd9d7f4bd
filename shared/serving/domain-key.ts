import { createSecretKey, type KeyObject } from 'node:crypto'
import { Refusal } from '../base/errors.ts'
import type { Moment } from '../base/moment.ts'
import { StaleCache } from '../base/stale-cache.ts'
import type { StoredDomainKey } from '../keyring/domain-key-store.ts'
import { guardKey, itemKey } from '../store/layout.ts'
import { readEntity, readHolder } from './sdkless/dynamo.ts'
import { decryptWithRootKey } from './sdkless/kms.ts'
import { rootKeyContext } from '../keyring/root-key-context.ts'
import { openUnder, sealedUnder, sealUnder } from '../keyring/sealing.ts'

/**
 * A domain key never changes. The age of a cache entry is bounded, so that an instance does not keep an opened key
 * forever.
 */
const domainKeys = new StaleCache<KeyObject>({ refreshAfterMs: 5 * 60_000, staleAfterMs: 15 * 60_000, entries: 256 })

async function readDomainKey(domain: string, id: string, { epochMs }: Moment): Promise<KeyObject | undefined> {
  const stored = await readEntity<StoredDomainKey>(itemKey(domain, 'domain-key', id), epochMs)
  if (stored === undefined) return undefined
  const bytes = await decryptWithRootKey(stored.sealed, rootKeyContext(domain, id), epochMs)
  const key = createSecretKey(bytes)
  bytes.fill(0)
  return key
}

/** @throws Error, a fault, for an unknown key; Refusal UNAVAILABLE */
async function domainKey(domain: string, id: string, now: Moment): Promise<KeyObject> {
  const key = await domainKeys.get(id, now, () => readDomainKey(domain, id, now))
  if (key === undefined) throw new Error('The domain key that something is sealed under does not exist')
  return key
}

/**
 * A sealed value of keymgr that does not open is a fault: the caller's input cannot cause it.
 * @throws Error, a fault
 */
function openOwn(key: KeyObject, domain: string, purpose: readonly string[], sealed: string): Buffer {
  try {
    return openUnder(key, domain, purpose, sealed)
  } catch (cause) {
    if (cause instanceof Refusal) throw new Error('What was sealed here does not open', { cause })
    throw cause
  }
}

/**
 * Opens without the SDK a text that `sealFor` of `domain-key.ts` sealed. Zero the result after use if it is secret.
 * @throws Error, a fault, for a text that does not open; Refusal UNAVAILABLE
 */
export async function openSdkless(
  domain: string,
  purpose: readonly string[],
  sealed: string,
  now: Moment,
): Promise<Buffer> {
  return openOwn(await domainKey(domain, sealedUnder(sealed), now), domain, purpose, sealed)
}

/** As long as an instance with the SDK keeps sealing under a domain key after its rotation. */
const currentIds = new StaleCache<string>({ refreshAfterMs: 30_000, staleAfterMs: 60_000, entries: 256 })

/** @throws Error, a fault, for a domain without a key; Refusal UNAVAILABLE */
async function currentId(domain: string, now: Moment): Promise<string> {
  const guard = guardKey(domain, 'domain-key', 'state', 'current')
  const id = await currentIds.get(domain, now, () => readHolder(guard, now.epochMs))
  if (id === undefined) throw new Error(`Domain ${domain} has no key`)
  return id
}

/**
 * Seals without the SDK, as `sealFor` of `domain-key.ts` does.
 * @param under id of the domain key: that of an earlier version of the same value, which saves a read; without it the
 * domain's current key is used
 * @throws Refusal UNAVAILABLE
 */
export async function sealSdkless(
  domain: string,
  purpose: readonly string[],
  bytes: Uint8Array,
  now: Moment,
  under?: string,
): Promise<string> {
  const id = under ?? (await currentId(domain, now))
  return sealUnder(id, await domainKey(domain, id, now), domain, purpose, bytes)
}
