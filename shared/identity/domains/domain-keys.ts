import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { resourceUri, ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { DOMAIN_KEY_STALE_MS, forgetCurrentKey, newDomainKey } from '../../keyring/domain-key.ts'
import type { DomainKey, DomainKeyQuery } from './key-model.ts'
import { domainKeys, type StoredDomainKey } from '../../keyring/domain-key-store.ts'
import { domains } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { later, MINUTE_MS } from '../../base/time.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import { sealedRows } from '../../keyring/sealed-rows.ts'
import { getDomain } from './domains.ts'

/** Ours: time for a rotation to commit, and for requests that encrypt with the former key to end. */
const UNDER_WAY_MS = MINUTE_MS

const firstSealed = (): string => sealedRows()[0]?.name ?? ''

const present = ({ item: { id, version, state, createdAt } }: Stored<StoredDomainKey>): DomainKey => ({
  id,
  version,
  state,
  createdAt,
})

export async function listDomainKeys(
  context: Context,
  id: string,
  query: DomainKeyQuery,
): Promise<ResourceList<DomainKey>> {
  await getDomain(context, id)
  return listed(domainKeys, id, query, { served: 'all', present })
}

export async function getDomainKey(context: Context, id: string, keyId: string): Promise<DomainKey> {
  await getDomain(context, id)
  const stored = await domainKeys.get(id, keyId)
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'The domain has no such key.')
  return present(stored)
}

async function keysInState(domain: string, state: StoredDomainKey['state']): Promise<Stored<StoredDomainKey>[]> {
  const all = await listed(
    domainKeys,
    domain,
    { skip: 0, limit: 1_000 },
    { served: 'all', present: (stored) => stored },
  )
  return all.resources.filter(({ item }) => item.state === state)
}

/**
 * Rotates the domain's key. A background task re-encrypts the former key's data; until then the former key can decrypt
 * it.
 * @throws Refusal NOT_FOUND, STATE_CONFLICT while a former rotation is in progress
 */
export async function rotateDomainKey(context: Context, id: string): Promise<DomainKey> {
  const { changes, now } = context
  const domain = await getDomain(context, id)
  const former = await domainKeys.find(id, 'state', 'current')
  if (former === undefined) throw new Error(`Domain ${id} has no key`)
  if ((await keysInState(id, 'resealing')).length > 0)
    throw new Refusal('STATE_CONFLICT', 'A rotation of this key is still under way.')
  const next = await newDomainKey(id, former.item.version + 1, now)
  const startAt = later(now, DOMAIN_KEY_STALE_MS + UNDER_WAY_MS).toISOString()
  changes.update(domainKeys, id, former, {
    ...former.item,
    state: 'resealing',
    reseal: { startAt, entity: firstSealed(), failures: 0 },
  })
  changes.create(domainKeys, id, next)
  changes.update(domains, ROOT_DOMAIN_ID, domain, {
    ...domain.item,
    kek_version: next.version,
    updatedAt: now.toISOString(),
  })
  context.about({ uri: resourceUri(id, 'admin', 'domain-keys', next.id), name: domain.item.name })
  forgetCurrentKey(id)
  return present({ item: next, rev: 1 })
}

/** Resumes a failed rotation. @throws Refusal NOT_FOUND, STATE_CONFLICT when there is nothing to retry */
export async function retryDomainKeyRotation(context: Context, id: string): Promise<DomainKey> {
  const { changes, now } = context
  const domain = await getDomain(context, id)
  const [stopped] = await keysInState(id, 'failed')
  if (stopped === undefined) throw new Refusal('STATE_CONFLICT', 'There is no rotation to retry.')
  const item: StoredDomainKey = {
    ...stopped.item,
    state: 'resealing',
    reseal: { startAt: now.toISOString(), entity: firstSealed(), failures: 0 },
  }
  changes.update(domainKeys, id, stopped, item)
  context.about({ uri: resourceUri(id, 'admin', 'domain-keys', item.id), name: domain.item.name })
  return present({ item, rev: stopped.rev + 1 })
}
