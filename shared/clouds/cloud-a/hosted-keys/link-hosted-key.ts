import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { POLICY_LISTS, type CloudAKey } from '../keys/model.ts'
import type { HostedKeyWishes, LinkHostedKey } from './model.ts'
import type { StoredCloudAKey } from '../keys/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { without } from '../../../base/fields.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { storeById } from '../key-stores/find-key-store.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { isUnlinked } from '../keys/key-rules.ts'
import { keyKind } from '../keys/kind.ts'
import { hostedParamsOf } from './hosted-params.ts'
import { linking } from './linking.ts'
import { linkingOf } from './plan-linking.ts'

/** The settings from the creation, overridden by those of a later body; a policy in the body replaces any other. */
function wishesOf(
  { when_linked: kept = { cloud_a_param: {} } }: StoredCloudAKey,
  body: LinkHostedKey,
): HostedKeyWishes {
  const cloud_a_param = { ...kept.cloud_a_param, ...body.cloud_a_param }
  const others = body.cloud_a_param.Policy === undefined ? kept : without(kept, 'policytemplate', ...POLICY_LISTS)
  return { ...others, cloud_a_param }
}

/** @throws Refusal STATE_CONFLICT */
function assertLinkable(key: StoredCloudAKey): void {
  const { blocked } = hostedParamsOf(key)
  if (!isUnlinked(key)) throw new Refusal('STATE_CONFLICT', 'The key is linked already; this cannot be undone.')
  if (blocked) throw new Refusal('STATE_CONFLICT', 'The key is blocked: unblock it first.')
}

/**
 * Links a hosted key: the cloud creates its own key in front of it.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT also unless its store is linked and connected,
 * and refusals of the cloud
 */
export const linkKey = (context: Context, id: string, body: LinkHostedKey): Promise<Stored<CloudAKey>> =>
  carryOut(context, linking, async () => {
    const { stored, container: kms } = await findKeyFor(keyKind, context, id, 'hyokkeylink')
    assertLinkable(stored.item)
    const store = await storeById(context, hostedParamsOf(stored.item).custom_key_store_id)
    const input = await linkingOf(context, { stored: store, kms }, id, wishesOf(stored.item, body), {
      bypassPolicyLockoutSafetyCheck: body.BypassPolicyLockoutSafetyCheck,
    })
    return { id, container: kms.item.id, input }
  })
