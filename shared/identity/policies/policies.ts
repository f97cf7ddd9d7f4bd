import { counted } from '../../base/counted.ts'
import { Refusal, type BrokenField } from '../../base/errors.ts'
import { without } from '../../base/fields.ts'
import { resourceUri } from '../../base/ids.ts'
import { Uuid } from '../../http/common-fields.ts'
import type { Context } from '../../http/context.ts'
import { resource } from '../../resource/resource.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import { assertActionsKnown } from './actions.ts'
import { CreatePolicy, POLICIES_MOST, Policy, PolicyQuery } from './model.ts'
import { forgetStatements } from './statements.ts'
import { policies, type StoredPolicy } from './store.ts'

/** Requires that the caller's domain is below its maximum. @throws Refusal STATE_CONFLICT */
export const relyOnRoomFor = <T, R>(
  { caller, changes }: Context,
  entity: Entity<T, R>,
  [most, noun]: readonly [number, string],
): Promise<void> =>
  changes.relyOnRoom(
    entity,
    caller.domain.id,
    { set: 'all', most },
    () => new Refusal('STATE_CONFLICT', `A domain has at most ${most} ${noun}: delete one that is not needed.`),
  )

/** A policy by id, URI or name. @param field of the body that names it @throws Refusal NOT_FOUND */
export async function findPolicy(
  { caller }: Pick<Context, 'caller'>,
  reference: string,
  field: BrokenField,
): Promise<Stored<StoredPolicy>> {
  const domain = caller.domain.id
  const prefix = resourceUri(domain, 'admin', 'policies', '')
  const id = reference.startsWith(prefix) ? reference.slice(prefix.length) : reference
  const stored =
    (Uuid.safeParse(id).success ? await policies.get(domain, id) : undefined) ??
    (await policies.find(domain, 'name', reference))
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'There is no such policy.', { errors: [field] })
  return stored
}

/**
 * Policies. A policy takes effect when it is attached, and cannot be deleted while it is. Ours: a policy never changes.
 */
export const policyResource = resource({
  entity: policies,
  noun: 'policy',
  title: 'Policy',
  titles: 'Policies',
  at: '/v1/admin/policies',
  reads: 'admins',
  changes: 'admins',
  answers: Policy,
  query: PolicyQuery,
  createBody: CreatePolicy,
  uri: (domain, id) => resourceUri(domain, 'admin', 'policies', id),
  audited: ['name', 'effect', 'actions', 'resources', 'conditions', 'include_descendant_accounts'],
  present: (policy) => ({ ...without(policy, 'attachments'), allow: policy.effect === 'allow' }),
  make: async (context, { allow, effect = allow === true ? 'allow' : 'deny', ...fields }, common) => {
    await assertActionsKnown(fields.actions)
    await relyOnRoomFor(context, policies, [POLICIES_MOST, 'policies'])
    return { ...fields, ...common, effect, attachments: 0 }
  },
  release: (_context, { id, attachments }) => {
    if (attachments > 0)
      throw new Refusal(
        'IN_USE',
        `${counted(attachments, 'attachment uses', 'attachments use')} the policy: delete them first (GET /v1/admin/policy-attachments?policy=${id}).`,
      )
  },
  changed: forgetStatements,
})
