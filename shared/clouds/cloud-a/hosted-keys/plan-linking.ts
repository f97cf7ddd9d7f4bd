import type { CloudAKeySpec } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import type { HostedKeyWishes } from './model.ts'
import type { StoredCloudAKms } from '../kms/store.ts'
import type { Found } from '../key-stores/find-key-store.ts'
import { choosePolicy, type ChosenPolicy } from '../keys/policy-inputs.ts'
import { specOf } from '../keys/create-key.ts'
import type { Linking } from './linking.ts'
import { connectedRef } from './store-in-front.ts'

/** The only kind of key that the cloud creates for a local key. */
export const HOSTED_SPEC = 'SYMMETRIC_DEFAULT'

/** The policy that results from the settings. @throws Refusal NOT_FOUND, RULE_BROKEN */
export const policyOf = (context: Context, kms: StoredCloudAKms, wishes: HostedKeyWishes): Promise<ChosenPolicy> =>
  choosePolicy(context, kms, { ...wishes, Policy: wishes.cloud_a_param.Policy })

/**
 * The saga input that links a record. @throws Refusal NOT_FOUND, RULE_BROKEN, STATE_CONFLICT, and refusals of the cloud
 */
export async function linkingOf(
  context: Context,
  found: Found,
  id: string,
  wishes: HostedKeyWishes,
  more: Pick<CloudAKeySpec, 'bypassPolicyLockoutSafetyCheck'> = {},
): Promise<Linking> {
  const { item: store } = found.stored
  const { item: kms } = found.kms
  const ref = await connectedRef(context, found)
  const chosen = await policyOf(context, kms, wishes)
  const spec = specOf({ cloud_a_param: { ...wishes.cloud_a_param, CustomerMasterKeySpec: HOSTED_SPEC } }, chosen)
  return {
    id,
    home: { container: kms.id, region: store.region },
    spec: { ...spec, ...more, keyStore: { id: ref, xksKeyId: id } },
    known: chosen.lists,
  }
}
