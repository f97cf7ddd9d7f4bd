import type { CloudCPolicy, CloudCPlace } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import type { CloudCKeyPolicy, SetCloudCKeyPolicy } from './model.ts'
import { cloudC, placeOf } from '../place.ts'
import { setKeyPolicy } from './act-on-key.ts'
import { assertThere, findKey } from './find-key.ts'

const shown = ({ bindings, etag }: CloudCPolicy): CloudCKeyPolicy => ({
  bindings: bindings.map(({ role, members, condition }) => ({
    role,
    members: [...members],
    ...(condition && { condition: { ...condition } }),
  })),
  etag,
})

async function whereabouts(context: Context, keyId: string): Promise<[CloudCPlace, string]> {
  const { stored, ring } = await findKey(context, keyId)
  assertThere(stored.item)
  return [await placeOf(context, ring.item), stored.item.cloud_c_params.key_name]
}

/** Who may do what with a key, as the cloud says now. @throws Refusal NOT_FOUND, STATE_CONFLICT, and the cloud's own */
export async function getPolicy(context: Context, keyId: string): Promise<CloudCKeyPolicy> {
  const [place, ref] = await whereabouts(context, keyId)
  return shown(await (await cloudC()).policy(place, ref))
}

/** Sets the policy, and answers it as the cloud has it then. @throws Refusal as `setKeyPolicy` */
export async function setPolicy(context: Context, keyId: string, body: SetCloudCKeyPolicy): Promise<CloudCKeyPolicy> {
  await setKeyPolicy(context, keyId, body)
  return getPolicy(context, keyId)
}
