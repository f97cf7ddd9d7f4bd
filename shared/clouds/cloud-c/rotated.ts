import { ROTATION_COSTS } from './adapter/quotas.ts'
import { NO_PRIMARY } from './keys/model.ts'
import { cloudCKeys, type CloudCKeyRow, type StoredCloudCKey } from './keys/store.ts'
import type { Rotated } from '../../work/schedule/job-operations/rotated.ts'
import { rotate } from './versions/new-version.ts'

/**
 * Ours: keys whose primary is disabled or scheduled for destruction are not rotated: another version would enable them
 * again.
 */
const LIVE: ReadonlySet<string> = new Set(['ENABLED', NO_PRIMARY])

const isNative = ({ labels }: StoredCloudCKey): boolean => labels?.auto_rotate_key_source !== 'local'

/** Keys of cloud-c: a rotation creates another version of the same key. */
export const cloudCRotated: Rotated<StoredCloudCKey, CloudCKeyRow> = {
  entity: cloudCKeys,
  facts: ({ gone, state, createdAt, rotated_at, cloud_c_params }) => ({
    live: !gone && LIVE.has(state),
    createdAt: cloud_c_params.create_time || createdAt,
    rotatedAt: rotated_at,
  }),
  plan: (key) => ({
    resource_name: key.cloud_c_params.key_name,
    container: key.key_ring,
    quotaGroup: key.project_id,
    ...(isNative(key) ? ROTATION_COSTS.native : ROTATION_COSTS.local),
  }),
  single: () => ({ action: 'CreateCloudCKeyVersion', may: 'keymgr-users' }),
  rotate: async (context, key) => {
    await rotate(context, key.id, { isNative: isNative(key), algorithm: key.labels?.auto_rotate_algorithm })
    return key.id
  },
}
