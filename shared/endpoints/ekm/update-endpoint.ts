import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { changeRecord, findRecord } from '../../resource/records.ts'
import type { EkmEndpoint, UpdateEkmEndpoint, UpdateEkmPolicy } from './model.ts'
import type { EkmPolicyWithText } from './policy-model.ts'
import type { StoredEkmEndpoint } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { patched, without } from '../../base/fields.ts'
import { textOfPolicy } from './policy-text.ts'
import { ownPolicy, type OwnPolicy } from './policy.ts'
import { ekmEndpointKind } from './records.ts'
import { ensureCertificate } from './session-certificate/certificate.ts'
import { countAtHosts } from './session-certificate/hosts.ts'

const withPolicy = (endpoint: StoredEkmEndpoint, own: OwnPolicy): StoredEkmEndpoint => ({
  ...without(endpoint, 'dialect'),
  ...own,
})

/** @throws Refusal STATE_CONFLICT */
function assertNotDestroyed({ name, destroyedAt }: StoredEkmEndpoint): void {
  if (destroyedAt !== undefined)
    throw new Refusal('STATE_CONFLICT', `The key of the EKM endpoint ${name} is destroyed: it can only be deleted.`)
}

/**
 * The endpoint after a change. A change to the other kind of policy requires the policy in the body. @throws Refusal
 * RULE_BROKEN
 */
export async function changedEndpoint(
  context: Context,
  endpoint: StoredEkmEndpoint,
  { policy, raw_policy_enabled: isRaw, ...fields }: UpdateEkmEndpoint,
): Promise<StoredEkmEndpoint> {
  assertNotDestroyed(endpoint)
  const changed = patched(endpoint, fields)
  if (changed.endpoint_type === 'ekm-ude') await ensureCertificate(context, changed.keyURIHostname)
  await countAtHosts(context.changes, [endpoint], [changed])
  if (policy === undefined && (isRaw === undefined || isRaw === endpoint.raw_policy_enabled)) return changed
  const own = await ownPolicy(isRaw ?? endpoint.raw_policy_enabled, policy ?? {}, endpoint.endpoint_type, '#/policy')
  return withPolicy(changed, own)
}

/** @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT when it is in that state already */
export const setEnabled = (context: Context, id: string, enabled: boolean): Promise<Stored<EkmEndpoint>> =>
  changeRecord(ekmEndpointKind, context, id, async (endpoint) => {
    assertNotDestroyed(endpoint)
    const state = enabled ? 'enabled' : 'disabled'
    if (endpoint.enabled === enabled)
      throw new Refusal('STATE_CONFLICT', `The EKM endpoint ${endpoint.name} is ${state} already.`)
    const changed = { ...endpoint, enabled }
    await countAtHosts(context.changes, [endpoint], [changed])
    return changed
  })

const shown = ({ item, rev }: Stored<Pick<StoredEkmEndpoint, 'policy'>>): Stored<EkmPolicyWithText> => ({
  item: { policy: item.policy, raw_policy: textOfPolicy(item.policy) },
  rev,
})

/** An endpoint's policy, and the Rego that decides. @throws Refusal NOT_FOUND */
export const getPolicy = async (context: Context, id: string): Promise<Stored<EkmPolicyWithText>> =>
  shown(await findRecord(ekmEndpointKind, context, id))

/** Replaces the policy by one of the same kind. @throws Refusal NOT_FOUND, VERSION_STALE, RULE_BROKEN */
export const updatePolicy = async (
  context: Context,
  id: string,
  policy: UpdateEkmPolicy,
): Promise<Stored<EkmPolicyWithText>> =>
  shown(
    await changeRecord(ekmEndpointKind, context, id, async (endpoint) => {
      assertNotDestroyed(endpoint)
      const { raw_policy_enabled: isRaw, endpoint_type: type } = endpoint
      return withPolicy(endpoint, await ownPolicy(isRaw, policy, type, '#'))
    }),
  )
