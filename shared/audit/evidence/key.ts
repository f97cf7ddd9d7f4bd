import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { PublicJwk } from '../../identity/tokens/signing-key-model.ts'
import { jwkOf } from '../../identity/tokens/signing-keys.ts'
import { domainKeys } from '../../keyring/domain-key-store.ts'
import { openFor, sealFor } from '../../keyring/domain-key.ts'
import { newSigningKey } from '../../keyring/token-key.ts'
import { Changes } from '../../store/changes.ts'
import { pageOf } from '../../store/list.ts'
import { EVIDENCE_KEY_PURPOSE, evidenceKeys, type EvidenceKey } from './key-store.ts'

export const EVIDENCE_ALGORITHM = 'ES256'

/** Whether a domain can sign: a deleted domain has no key. */
export const canSign = async (domain: string): Promise<boolean> =>
  (await domainKeys.holder(domain, 'state', 'current')) !== undefined

/**
 * The domain's present key, created on demand. @throws Stale when another instance has created it at the same moment
 */
async function presentKey(domain: string, now: Date): Promise<EvidenceKey> {
  const stored = await evidenceKeys.find(domain, 'state', 'present')
  if (stored !== undefined) return stored.item
  const { key: made, pkcs8 } = await newSigningKey(now)
  const key: EvidenceKey = { ...made, sealed: await sealFor(domain, EVIDENCE_KEY_PURPOSE(made.id), pkcs8) }
  pkcs8.fill(0)
  const changes = new Changes()
  changes.create(evidenceKeys, domain, key)
  await changes.commit(now)
  return key
}

/**
 * The key that currently signs heads of a domain's tree, and its `kid`. @throws Error, a fault, for a domain without
 * its own key
 */
export async function evidenceSigner(domain: string, now: Date): Promise<{ kid: string; key: KeyObject }> {
  const { id, sealed } = await presentKey(domain, now)
  const pkcs8 = await openFor(domain, EVIDENCE_KEY_PURPOSE(id), sealed)
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  pkcs8.fill(0)
  return { kid: id, key }
}

/** More keys than a domain ever has. */
const KEYS_MOST = 100

/** Public keys for all heads of a domain's tree, oldest first. */
export async function evidenceJwks(domain: string): Promise<PublicJwk[]> {
  const { items } = await pageOf(evidenceKeys, domain, 'all', { skip: 0, limit: KEYS_MOST })
  return items.map(({ item }) => jwkOf(item))
}
