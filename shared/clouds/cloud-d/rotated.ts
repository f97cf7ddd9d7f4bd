import { FREE, type Cost } from '../../work/schedule/job-operations/cost.ts'
import type { Rotated } from '../../work/schedule/job-operations/rotated.ts'
import { ROTATION_COSTS } from './adapter/quotas.ts'
import { cloudDKeys, type CloudDKeyRow, type StoredCloudDKey } from './keys/store.ts'
import { isExternalKey } from './external/external.ts'
import { addExternalVersion } from './external/rotate-key.ts'
import { rotate } from './versions/new-version.ts'

const isNative = ({ labels }: StoredCloudDKey): boolean => labels?.auto_rotate_key_source !== 'local'

function costOf(key: StoredCloudDKey): Cost {
  if (isExternalKey(key)) return FREE // nothing leaves this service
  return isNative(key) ? ROTATION_COSTS.native : ROTATION_COSTS.local
}

/** Keys of cloud-d: a rotation adds a version to the same key; an external key follows its local key. */
export const cloudDRotated: Rotated<StoredCloudDKey, CloudDKeyRow> = {
  entity: cloudDKeys,
  facts: ({ gone, rotated_at, createdAt, cloud_d_params: { lifecycle_state, time_created } }) => ({
    live: !gone && lifecycle_state === 'ENABLED',
    createdAt: time_created || createdAt,
    rotatedAt: rotated_at,
  }),
  plan: (key) => ({
    resource_name: key.cloud_d_params.display_name,
    container: key.vault_id,
    quotaGroup: key.tenancy,
    ...costOf(key),
  }),
  single: () => ({ action: 'CreateCloudDKeyVersion', may: 'keymgr-users' }),
  rotate: async (context, key) => {
    if (isExternalKey(key)) await addExternalVersion(context, key.id, { is_native: true })
    else await rotate(context, key.id, isNative(key))
    return key.id
  },
}
