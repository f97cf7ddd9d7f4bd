import { counted } from '../../base/counted.ts'
import { nameTaken, Refusal, type BrokenField } from '../../base/errors.ts'
import { differences, without } from '../../base/fields.ts'
import { commonFields, resourceUri, uuid } from '../../base/ids.ts'
import { Uuid } from '../../http/common-fields.ts'
import type { Context } from '../../http/context.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import { pageOf } from '../../store/list.ts'
import { assertActionsKnown } from './actions.ts'
import { POLICIES_MOST, type CreatePolicy, type Policy, type PolicyQuery } from './model.ts'
import { forgetStatements } from './statements.ts'
import { policies, type StoredPolicy } from './store.ts'

const AUDITED = ['name', 'effect', 'actions', 'resources', 'conditions', 'include_descendant_accounts'] as const

const shown = ({ item, rev }: Stored<StoredPolicy>): Stored<Policy> => ({
  item: { ...without(item, 'attachments'), allow: item.effect === 'allow' },
  rev,
})

/** @throws Refusal STATE_CONFLICT when a domain has as many as it may */
export async function assertRoomFor<T, R>(
  entity: Entity<T, R>,
  domain: string,
  [most, noun]: readonly [number, string],
): Promise<void> {
  const { total } = await pageOf(entity, domain, 'all', { skip: 0, limit: 0 })
  if (total >= most)
    throw new Refusal('STATE_CONFLICT', `A domain has at most ${most} ${noun}: delete one that is not needed.`)
}

/** A policy by id; by uri or name too, where a body names it. @throws Refusal NOT_FOUND */
export async function findPolicy(
  { caller }: Pick<Context, 'caller'>,
  reference: string,
  field?: BrokenField,
): Promise<Stored<StoredPolicy>> {
  const domain = caller.domain.id
  const prefix = resourceUri(domain, 'admin', 'policies', '')
  const id = reference.startsWith(prefix) ? reference.slice(prefix.length) : reference
  const stored =
    (Uuid.safeParse(id).success ? await policies.get(domain, id) : undefined) ??
    (field && (await policies.find(domain, 'name', reference)))
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'There is no such policy.', field ? { errors: [field] } : {})
  return stored
}

export async function getPolicy(context: Context, id: string): Promise<Stored<Policy>> {
  return shown(await findPolicy(context, id))
}

export const listPolicies = ({ caller }: Context, query: PolicyQuery): Promise<ResourceList<Policy>> =>
  listed(policies, caller.domain.id, query, {
    served: 'all',
    filters: { id: query.id },
    patterns: { name: query.name },
    present: (stored) => shown(stored).item,
  })

/** Creates a policy, which holds once it is attached. @throws Refusal NAME_TAKEN, RULE_BROKEN, STATE_CONFLICT */
export async function createPolicy(context: Context, body: CreatePolicy): Promise<Stored<Policy>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  await assertActionsKnown(body.actions)
  await assertRoomFor(policies, domain, [POLICIES_MOST, 'policies'])
  const { allow, effect = allow === true ? 'allow' : 'deny', ...fields } = body
  const id = uuid(now)
  const policy: StoredPolicy = {
    ...fields,
    ...commonFields(domain, id, resourceUri(domain, 'admin', 'policies', id), now),
    effect,
    attachments: 0,
  }
  changes.create(policies, domain, policy, (_kind, name) => nameTaken('policy', name))
  context.about({ uri: policy.uri, name: policy.name, after: differences({}, policy, AUDITED).after })
  return shown({ item: policy, rev: 1 })
}

/** @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE while it is attached */
export async function deletePolicy(context: Context, id: string): Promise<void> {
  const { caller, changes, about, afterCommit } = context
  const stored = await findPolicy(context, id)
  const { uri, name, attachments } = stored.item
  assertIfMatch(context, stored)
  if (attachments > 0)
    throw new Refusal(
      'IN_USE',
      `${counted(attachments, 'attachment uses', 'attachments use')} the policy: delete them first (GET /v1/admin/policy-attachments?policy=${id}).`,
    )
  changes.remove(policies, caller.domain.id, stored)
  about({ uri, name, before: differences(stored.item, {}, AUDITED).before, record: stored.item })
  afterCommit(() => Promise.resolve(forgetStatements(caller.domain.id)))
}
