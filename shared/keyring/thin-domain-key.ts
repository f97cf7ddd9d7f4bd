import { createSecretKey, type KeyObject } from 'node:crypto'
import { ciphertextInvalid } from '../crypto/aead.ts'
import { Kept, type Moment } from '../kept.ts'
import type { StoredDomainKey } from '../store/domain-key.ts'
import { itemKey } from '../store/layout.ts'
import { readEntity } from '../thin/dynamo.ts'
import { decryptWithRootKey } from '../thin/kms.ts'
import { rootKeyContext } from './root-key-context.ts'
import { openUnder, sealedUnder } from './sealing.ts'

/** A domain key never changes: its age is bounded so that an instance does not hold for ever what it once opened. */
const domainKeys = new Kept<KeyObject>({ refreshAfterMs: 5 * 60_000, staleAfterMs: 15 * 60_000, entries: 256 })

async function readDomainKey(domain: string, id: string, { epochMs }: Moment): Promise<KeyObject | undefined> {
  const stored = await readEntity<StoredDomainKey>(itemKey(domain, 'domain-key', id), epochMs)
  if (stored === undefined) return undefined
  const bytes = await decryptWithRootKey(stored.sealed, rootKeyContext(domain, id), epochMs)
  const key = createSecretKey(bytes)
  bytes.fill(0)
  return key
}

/**
 * What `sealFor` of `domain-key.ts` sealed, opened without the SDK. Zero it after use if it is secret.
 * @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE
 */
export async function openThin(
  domain: string,
  purpose: readonly string[],
  sealed: string,
  now: Moment,
): Promise<Buffer> {
  const id = sealedUnder(sealed)
  const key = await domainKeys.get(id, now, () => readDomainKey(domain, id, now))
  if (key === undefined) throw ciphertextInvalid()
  return openUnder(key, domain, purpose, sealed)
}
