import { without } from '../../base/fields.ts'
import { BoundedCache } from '../../base/bounded-cache.ts'
import { accountOf, ROOT_DOMAIN_ID } from '../../base/ids.ts'
import type { Caller } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { idsAfter } from '../../store/list.ts'
import { groups } from '../groups/store.ts'
import { statementOf, type Statement } from './evaluate.ts'
import { ATTACHMENTS_MOST } from './model.ts'
import { policies, policyAttachments, type StoredAttachment, type StoredPolicy } from './store.ts'

/** Time for which an instance uses cached policies. */
export const HOLD_MS = 5_000
const DOMAINS_HELD = 1_000
/** concurrent requests may exceed the maximum of a domain */
const READ_MOST = 2 * ATTACHMENTS_MOST

/** Statements of a domain's policies: `own` apply there; `descending` are the root domain's, for its child domains. */
interface Held {
  readonly own: readonly Statement[]
  readonly descending: readonly Statement[]
}

const held = new BoundedCache<{ readonly readAtMs: number; readonly outcome: Promise<Held> }>(DOMAINS_HELD)

/** The policies for the callers of a domain. Without policies, one read of the table in 5 seconds. */
export async function statementsFor(domain: string, now: Date): Promise<readonly Statement[]> {
  if (domain === ROOT_DOMAIN_ID) return (await heldOf(domain, now)).own
  const [{ own }, { descending }] = await Promise.all([heldOf(domain, now), heldOf(ROOT_DOMAIN_ID, now)])
  return descending.length === 0 ? own : [...own, ...descending]
}

/** Makes a change of a domain's policies take effect at once in this instance. */
export const forgetStatements = (domain: string): boolean => held.delete(domain)

function heldOf(domain: string, now: Date): Promise<Held> {
  const known = held.get(domain)
  // in both directions: a clock that was set back must not extend the caching
  if (known && Math.abs(now.getTime() - known.readAtMs) < HOLD_MS) return known.outcome
  const reading = { readAtMs: now.getTime(), outcome: read(domain) }
  held.set(domain, reading)
  reading.outcome.catch(() => held.get(domain) === reading && held.delete(domain))
  return reading.outcome
}

async function read(domain: string): Promise<Held> {
  const ids = await idsAfter(policyAttachments, domain, 'all', undefined, READ_MOST)
  if (ids.length === 0) return { own: [], descending: [] }
  const attached = (await policyAttachments.getMany(domain, ids, 'salvage'))
    .map(asAttached)
    .filter(({ policy_id }) => typeof policy_id === 'string') // absent where it is damaged itself
  const used = await policies.getMany(domain, [...new Set(attached.map(({ policy_id }) => policy_id))], 'salvage')
  const byId = new Map(used.map((stored) => [stored.damage?.id ?? stored.item.id, asDecided(stored)]))
  const pairs = attached.flatMap((attachment) => {
    const policy = byId.get(attachment.policy_id)
    return policy === undefined ? [] : [{ attachment, policy }]
  })
  const inherited = domain === ROOT_DOMAIN_ID ? pairs.filter(({ policy }) => policy.include_descendant_accounts) : []
  const names = await groupNames(
    domain,
    inherited.flatMap(({ attachment }) => attachment.group_ids ?? []),
  )
  return {
    own: pairs.map(({ attachment, policy }) => statementOf(policy, principalTest(attachment, isInGroup))),
    descending: inherited.map(({ attachment, policy }) =>
      statementOf(
        policy,
        principalTest(attachment, ({ groups: held }, id) => held.includes(names.get(id) ?? '')),
      ),
    ),
  }
}

/** An attachment that is damaged applies to all callers of the domain. */
const asAttached = ({ item, damage }: Stored<StoredAttachment>): StoredAttachment =>
  damage === undefined
    ? item
    : { ...without(item, 'group_ids', 'jurisdiction'), policy_id: damage.was.policy_id, principal: {} }

/**
 * A policy that is damaged denies everything to whom it is attached, unless it only allowed something: then it allows
 * nothing. Members of `admin` can detach it.
 */
const asDecided = ({ item, damage }: Stored<StoredPolicy>): StoredPolicy =>
  damage === undefined
    ? item
    : {
        ...item,
        ...(item.effect === 'allow' ? { actions: [] } : { effect: 'deny', actions: ['*'] }),
        resources: ['*'],
        conditions: [],
        include_descendant_accounts:
          item.include_descendant_accounts || damage.fields.includes('include_descendant_accounts'),
      }

const isInGroup: InGroup = ({ groupIds }, id) => groupIds?.includes(id) === true

async function groupNames(domain: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = ids.length === 0 ? [] : await groups.getMany(domain, [...new Set(ids)])
  return new Map(found.map(({ item }) => [item.id, item.name]))
}

type InGroup = (caller: Caller, groupId: string) => boolean

/** @param isIn finds a caller in a group of the policy's domain; in other domains, the group of the same name counts */
function principalTest({ principal, group_ids, jurisdiction }: StoredAttachment, isIn: InGroup): Statement['isFor'] {
  const { acct, sub, user_id, client_id } = principal
  const accounts = [acct, jurisdiction].filter((one) => one !== undefined)
  const subs = [sub, user_id, client_id].filter((one) => one !== undefined)
  return (caller) =>
    accounts.every((account) => account === accountOf(caller.domain.id)) &&
    subs.every((one) => one === caller.sub) &&
    (group_ids === undefined || group_ids.some((id) => isIn(caller, id)))
}
