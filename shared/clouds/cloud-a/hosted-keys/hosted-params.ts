import { Refusal } from '../../../base/errors.ts'
import type { StoredCloudAKey } from '../keys/store.ts'

/** Parameters of a hosted key, besides those that the cloud knows. */
export type HostedParams = NonNullable<StoredCloudAKey['local_hosted_params']>

/** @throws Refusal STATE_CONFLICT for a key that is not hosted */
export function hostedParamsOf({ local_hosted_params: hosted }: StoredCloudAKey): HostedParams {
  if (hosted === undefined) throw new Refusal('STATE_CONFLICT', 'The material of this key does not stay here.')
  return hosted
}
