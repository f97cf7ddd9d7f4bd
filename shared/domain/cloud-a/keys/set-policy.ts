import { defaultPolicy } from '../../../clouds/cloud-a/policy.ts'
import type { Context } from '../../../context.ts'
import type { CloudAKey, KeyPolicyBody } from '../../../model/cloud-a-key.ts'
import type { Stored } from '../../../store/entity.ts'
import { act } from './actions.ts'
import { findKeyFor } from './find-key.ts'
import { choosePolicy } from './policy-inputs.ts'

/**
 * Replaces a key's policy; without any inputs, by the default one.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT, and the cloud's own
 */
export async function setKeyPolicy(context: Context, id: string, body: KeyPolicyBody): Promise<Stored<CloudAKey>> {
  const { kms } = await findKeyFor(context, id, 'keyupdate')
  const { cloud_name, account_id } = kms.item
  const { policy, lists, template } = await choosePolicy(context, kms.item, body, '#/Policy')
  return act(context, 'policy', id, {
    policy: policy ?? JSON.stringify(defaultPolicy(cloud_name, account_id)),
    bypass: body.BypassPolicyLockoutSafetyCheck === true,
    lists: lists ?? {},
    ...(template !== undefined && { template }),
  })
}
