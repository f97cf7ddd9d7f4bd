import { notThere, Refusal, ruleBroken } from '../../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { later, MINUTE_MS } from '../../base/time.ts'
import { powersOf } from '../../crypto/x509/issuer.ts'
import type { Context } from '../../http/context.ts'
import { initiatorOf } from '../../http/on-behalf.ts'
import { matching } from '../../store/list.ts'
import { caStateAt } from '../authorities/records.ts'
import { localCas, type StoredLocalCa } from '../authorities/store.ts'
import { makeDomainCa } from './make.ts'
import { domainCaPlans } from './store.ts'

/** Ours: time for the request itself to create the authority. */
const LEFT_TO_SWEEPER_MS = MINUTE_MS

const AT = '#/parent_ca_id'

const certifiesAuthorities = ({ cert }: StoredLocalCa): boolean => cert !== undefined && powersOf(cert).pathLength !== 0

/**
 * @throws Refusal NOT_FOUND, STATE_CONFLICT unless it is active, RULE_BROKEN if it cannot have subordinate authorities
 */
async function named(id: string, now: Date): Promise<string> {
  const stored = await localCas.get(ROOT_DOMAIN_ID, id)
  if (stored === undefined) throw notThere('There is no such local CA.', { pointer: AT, detail: 'is not there' })
  const state = caStateAt(stored.item, now)
  if (state === 'active' && !certifiesAuthorities(stored.item))
    throw ruleBroken('parent_ca_id', 'must be an authority that may certify others')
  if (state === 'active') return id
  throw new Refusal('STATE_CONFLICT', `The local CA ${stored.item.name} is ${state}.`, {
    errors: [{ pointer: AT, detail: 'must be active' }],
  })
}

/**
 * The oldest authority that may certify others. Matches are in the order of their ids, which is the order of creation.
 */
async function oldestActive(now: Date): Promise<string | undefined> {
  const found = await matching(localCas, ROOT_DOMAIN_ID, {
    sets: ['all'],
    matches: (row) => caStateAt(row, now) === 'active',
    narrowBy: 'parent_ca_id',
  })
  for (const { id } of found) {
    const stored = await localCas.get(ROOT_DOMAIN_ID, id)
    if (stored !== undefined && certifiesAuthorities(stored.item)) return id
  }
  return undefined
}

/**
 * Stages that a new domain gets its own authority. Ours: without an active local CA in the root domain it gets none.
 * @returns id of the authority that will sign it
 * @throws Refusal NOT_FOUND, STATE_CONFLICT for a named parent
 */
export async function planDomainCa(
  context: Context,
  domain: { readonly id: string; readonly name: string },
  parentId: string | undefined,
): Promise<string | undefined> {
  const { caller, changes, now, traceId, clientIp } = context
  const parent = parentId === undefined ? await oldestActive(now) : await named(parentId, now)
  if (parent === undefined) return undefined
  changes.create(domainCaPlans, domain.id, {
    id: domain.id,
    parent_ca_id: parent,
    initiator: { ...initiatorOf(caller), domain: { id: domain.id, name: domain.name } },
    ...{ traceId, clientIp, startAt: later(now, LEFT_TO_SWEEPER_MS).toISOString() },
  })
  context.afterCommit(() => makeDomainCa(domain.id, now))
  return parent
}
