import type { Rotated } from '../../work/schedule/job-operations/rotated.ts'
import { cloudDKeys, type CloudDKeyRow, type StoredCloudDKey } from './keys/store.ts'
import { isExternalKey } from './external/external.ts'
import { addExternalVersion } from './external/rotate-key.ts'
import { rotate } from './versions/new-version.ts'

/** Seconds of a tenancy's quota that a rotation uses: some reads and two writes, of ten per second. */
const ROTATION_SECONDS = 1

const isNative = ({ labels }: StoredCloudDKey): boolean => labels?.auto_rotate_key_source !== 'local'

/** Keys of cloud-d: a rotation adds a version to the same key; an external key follows its local key. */
export const cloudDRotated: Rotated<StoredCloudDKey, CloudDKeyRow> = {
  entity: cloudDKeys,
  facts: ({ gone, rotated_at, createdAt, cloud_d_params: { lifecycle_state, time_created } }) => ({
    live: !gone && lifecycle_state === 'ENABLED',
    createdAt: time_created || createdAt,
    rotatedAt: rotated_at,
  }),
  plan: ({ tenancy, vault_id, cloud_d_params: { display_name } }) => ({
    resource_name: display_name,
    container: vault_id,
    quotaGroup: tenancy,
    seconds: ROTATION_SECONDS,
  }),
  single: () => ({ action: 'CreateCloudDKeyVersion', may: 'keymgr-users' }),
  rotate: async (context, key) => {
    if (isExternalKey(key)) await addExternalVersion(context, key.id, { is_native: true })
    else await rotate(context, key.id, isNative(key))
    return key.id
  },
}
