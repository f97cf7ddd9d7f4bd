import { placeIn } from '../../../cloud/keys/place.ts'
import type { CloudCPolicy, CloudCPlace } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import type { CloudCKeyPolicy, SetCloudCKeyPolicy } from './model.ts'
import { cloudC } from '../adapter.ts'
import { act } from './act-on-key.ts'
import { findKey } from '../../../cloud/keys/find-key.ts'
import { keyKind } from './kind.ts'

const shown = ({ bindings, etag }: CloudCPolicy): CloudCKeyPolicy => ({
  bindings: bindings.map(({ role, members, condition }) => ({
    role,
    members: [...members],
    ...(condition && { condition: { ...condition } }),
  })),
  etag,
})

/** A key's place at its cloud, and its ref. */
async function locate(context: Context, keyId: string): Promise<[CloudCPlace, string]> {
  const { stored, container } = await findKey(keyKind, context, keyId)
  keyKind.assertManaged(stored.item)
  return [await placeIn(keyKind, context, container.item, ''), keyKind.refOf(stored.item)]
}

/**
 * Permissions on a key, read from the cloud now. @throws Refusal NOT_FOUND, STATE_CONFLICT, and refusals of the cloud
 */
export async function getPolicy(context: Context, keyId: string): Promise<CloudCKeyPolicy> {
  const [place, ref] = await locate(context, keyId)
  return shown(await cloudC.policy(place, ref))
}

/** Sets the policy, and returns it as the cloud then has it. @throws Refusal as `updateKey` */
export async function setPolicy(context: Context, keyId: string, body: SetCloudCKeyPolicy): Promise<CloudCKeyPolicy> {
  await act(context, 'policy', keyId, body)
  return getPolicy(context, keyId)
}
