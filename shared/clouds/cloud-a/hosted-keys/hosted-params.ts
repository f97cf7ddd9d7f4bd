import { Refusal } from '../../../base/errors.ts'
import type { StoredCloudAKey } from '../keys/store.ts'

/** Parameters of a key whose material stays here, beside those that the cloud knows. */
export type HostedParams = NonNullable<StoredCloudAKey['local_hosted_params']>

/** @throws Refusal STATE_CONFLICT for every other key */
export function hostedParamsOf({ local_hosted_params: hosted }: StoredCloudAKey): HostedParams {
  if (hosted === undefined) throw new Refusal('STATE_CONFLICT', 'The material of this key does not stay here.')
  return hosted
}
