import { freshKeyId, openFor, sealedUnder, sealFor } from '../keyring/domain-key.ts'
import { SIGNING_KEY_PURPOSE } from '../keyring/token-key.ts'
import { errorFields, log } from '../log.ts'
import { Changes, Stale } from '../store/changes.ts'
import { domainKeys, type StoredDomainKey } from '../store/domain-key.ts'
import type { Entity, Stored } from '../store/entity.ts'
import { idsAfter } from '../store/list.ts'
import { localKeys } from '../store/local-key.ts'
import { signingKeys } from '../store/signing-key.ts'
import { sealPurpose } from './local-keys/material.ts'

/** Seals a page of one kind again. @returns the last id done, `undefined` at the end */
type Round = (domain: string, after: string | undefined, now: Date) => Promise<string | undefined>

const PAGE_ITEMS = 100
/** Ours: after this many failing rounds the rotation waits for a person (`retry-kek-rotation`). */
const FAILURES_MOST = 5

function roundOf<T extends { sealed?: string | undefined }, R>(
  entity: Entity<T, R>,
  set: string,
  purpose: (item: T) => string[],
): Round {
  return async (domain, after, now) => {
    const ids = await idsAfter(entity, domain, set, after, PAGE_ITEMS)
    const keyId = await freshKeyId(domain)
    for (const stored of await entity.getMany(domain, ids)) await resealOne(entity, domain, stored, purpose, keyId, now)
    return ids.length < PAGE_ITEMS ? undefined : ids.at(-1)
  }
}

/** Opens and seals one item again. Somebody who changed it meanwhile sealed nothing anew: it is read and tried again. */
async function resealOne<T extends { sealed?: string | undefined }, R>(
  entity: Entity<T, R>,
  domain: string,
  first: Stored<T>,
  purpose: (item: T) => string[],
  keyId: string,
  now: Date,
): Promise<void> {
  for (let stored: Stored<T> | undefined = first; stored; stored = await entity.get(domain, entity.id(stored.item))) {
    const { item } = stored
    if (item.sealed === undefined || sealedUnder(item.sealed) === keyId) return
    const clear = await openFor(domain, purpose(item), item.sealed)
    const changes = new Changes()
    changes.update(entity, domain, stored, { ...item, sealed: await sealFor(domain, purpose(item), clear) })
    clear.fill(0)
    try {
      return await changes.commit(now)
    } catch (error) {
      if (!(error instanceof Stale)) throw error
    }
  }
}

/**
 * What holds something sealed for good, in the order it is gone through. Answers kept for `Idempotency-Key` are not
 * among it: they are gone in a day, and the former key still opens them.
 */
const ROUNDS: Readonly<Record<string, Round>> = {
  'local-key latest': roundOf(localKeys, 'latest', sealPurpose),
  'local-key former': roundOf(localKeys, 'former', sealPurpose),
  'signing-key': roundOf(signingKeys, 'all', ({ id }) => SIGNING_KEY_PURPOSE(id)),
}
const NAMES = Object.keys(ROUNDS)
export const FIRST_RESEALED = NAMES[0] ?? ''

/**
 * Seals again what a former key of a domain sealed, page by page; the key's record says how far it has come, so that a
 * stop anywhere costs a page. A second instance at the same work finds things done.
 * @param mayGoOn asked between pages: whether there is time for another
 */
export async function resealDomain(domain: string, keyId: string, now: Date, mayGoOn: () => boolean): Promise<void> {
  for (;;) {
    const stored = await domainKeys.get(domain, keyId)
    if (stored?.item.state !== 'resealing' || stored.item.reseal === undefined) return
    const next = await afterRound(domain, stored.item, stored.item.reseal, now)
    const changes = new Changes()
    changes.update(domainKeys, domain, stored, next)
    await changes.commit(now)
    if (next.reseal !== undefined && next.reseal.failures > stored.item.reseal.failures) return
    if (!mayGoOn()) return
  }
}

async function afterRound(
  domain: string,
  key: StoredDomainKey,
  reseal: NonNullable<StoredDomainKey['reseal']>,
  now: Date,
): Promise<StoredDomainKey> {
  try {
    const after = await ROUNDS[reseal.entity]?.(domain, reseal.after, now)
    if (after !== undefined) return { ...key, reseal: { ...reseal, after } }
    const { after: _, ...rest } = reseal
    const following = NAMES[NAMES.indexOf(reseal.entity) + 1]
    if (following !== undefined) return { ...key, reseal: { ...rest, entity: following } }
    const { reseal: __, ...done } = key
    return { ...done, state: 'retired' }
  } catch (error) {
    const failures = reseal.failures + 1
    log('error', 'sealing again under a new domain key failed', {
      domain,
      domainKey: key.id,
      failures,
      ...errorFields(error),
    })
    return { ...key, state: failures >= FAILURES_MOST ? 'failed' : 'resealing', reseal: { ...reseal, failures } }
  }
}
