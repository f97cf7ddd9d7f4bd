import { defined } from '../../../base/fields.ts'
import type { Context } from '../../../http/context.ts'
import type { KeyPolicyBody } from './bodies.ts'
import type { CloudAKey } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import { act } from './actions.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { choosePolicy } from './policy-inputs.ts'
import { keyKind } from './kind.ts'

/**
 * Replaces a key's policy.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT, and refusals of the cloud
 */
export async function setKeyPolicy(context: Context, id: string, body: KeyPolicyBody): Promise<Stored<CloudAKey>> {
  const { container: kms } = await findKeyFor(keyKind, context, id, 'keyupdate')
  const { policy, lists, template } = await choosePolicy(context, kms.item, body, '#/Policy')
  if (policy === undefined) throw new Error('A policy was to be set, and none was named')
  return act(context, 'policy', id, {
    policy,
    bypass: body.BypassPolicyLockoutSafetyCheck === true,
    lists: lists ?? {},
    ...defined({ template }),
  })
}
