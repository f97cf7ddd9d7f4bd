import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { assertIfMatch } from '../../http/if-match.ts'
import type { EkmEndpoint, UpdateEkmEndpoint, UpdateEkmPolicy } from './model.ts'
import type { EkmPolicyWithText } from './policy-model.ts'
import { ekmEndpoints, type StoredEkmEndpoint } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { patched, without } from '../../base/fields.ts'
import { findEndpoint } from './find-endpoint.ts'
import { textOfPolicy } from './policy-text.ts'
import { ownPolicy, type OwnPolicy } from './policy.ts'
import { presentEndpoint, tellOf } from './records.ts'

/** Stages the changed endpoint. */
function record(
  context: Context,
  stored: Stored<StoredEkmEndpoint>,
  fields: StoredEkmEndpoint,
): Stored<StoredEkmEndpoint> {
  const after = { ...fields, updatedAt: context.now.toISOString() }
  context.changes.update(ekmEndpoints, context.caller.domain.id, stored, after)
  tellOf(context, stored.item, after)
  return { item: after, rev: stored.rev + 1 }
}

const withPolicy = (endpoint: StoredEkmEndpoint, own: OwnPolicy): StoredEkmEndpoint => ({
  ...without(endpoint, 'dialect'),
  ...own,
})

/**
 * Changes the fields of the body. Another kind of policy needs the policy itself in the body.
 * @throws Refusal NOT_FOUND, VERSION_STALE, RULE_BROKEN
 */
export async function updateEndpoint(
  context: Context,
  id: string,
  { policy, raw_policy_enabled: isRaw, ...fields }: UpdateEkmEndpoint,
): Promise<Stored<EkmEndpoint>> {
  const stored = await findEndpoint(context, id)
  assertIfMatch(context, stored)
  const before = stored.item
  const changed = patched(before, fields)
  if (policy === undefined && (isRaw === undefined || isRaw === before.raw_policy_enabled))
    return presentEndpoint(record(context, stored, changed))
  const own = await ownPolicy(isRaw ?? before.raw_policy_enabled, policy ?? {}, before.endpoint_type, '#/policy')
  return presentEndpoint(record(context, stored, withPolicy(changed, own)))
}

/** @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT when it is in that state already */
export async function setEnabled(context: Context, id: string, enabled: boolean): Promise<Stored<EkmEndpoint>> {
  const stored = await findEndpoint(context, id)
  assertIfMatch(context, stored)
  if (stored.item.enabled === enabled)
    throw new Refusal(
      'STATE_CONFLICT',
      `The EKM endpoint ${stored.item.name} is ${enabled ? 'enabled' : 'disabled'} already.`,
    )
  return presentEndpoint(record(context, stored, { ...stored.item, enabled }))
}

const shown = ({ item, rev }: Stored<StoredEkmEndpoint>): Stored<EkmPolicyWithText> => ({
  item: { policy: item.policy, raw_policy: textOfPolicy(item.policy) },
  rev,
})

/** An endpoint's policy, and the Rego that decides. @throws Refusal NOT_FOUND */
export const getPolicy = async (context: Context, id: string): Promise<Stored<EkmPolicyWithText>> =>
  shown(await findEndpoint(context, id))

/** Another policy of the kind the endpoint has. @throws Refusal NOT_FOUND, VERSION_STALE, RULE_BROKEN */
export async function updatePolicy(
  context: Context,
  id: string,
  policy: UpdateEkmPolicy,
): Promise<Stored<EkmPolicyWithText>> {
  const stored = await findEndpoint(context, id)
  assertIfMatch(context, stored)
  const { raw_policy_enabled: isRaw, endpoint_type: type } = stored.item
  const own = await ownPolicy(isRaw, policy, type, '#')
  return shown(record(context, stored, withPolicy(stored.item, own)))
}
