import { ROTATION_SECONDS } from './adapter/quotas.ts'
import { NO_PRIMARY } from './keys/model.ts'
import { cloudCKeys, cloudCKeysRotatedBy, type CloudCKeyRow, type StoredCloudCKey } from './keys/store.ts'
import type { Rotated } from '../../work/schedule/rotated.ts'
import { rotate } from './versions/new-version.ts'

/** Ours: keys whose primary is disabled or waits for its end are left alone: another version would bring them to life. */
const LIVE: ReadonlySet<string> = new Set(['ENABLED', NO_PRIMARY])

const isNative = ({ labels }: StoredCloudCKey): boolean => labels?.auto_rotate_key_source !== 'local'

/** Keys of cloud-c: a rotation is another version of the same key. */
export const cloudCRotated: Rotated<StoredCloudCKey, CloudCKeyRow> = {
  entity: cloudCKeys,
  family: cloudCKeysRotatedBy,
  configOf: ({ labels }) => labels?.job_config_id,
  facts: ({ gone, state, createdAt, rotated_at, cloud_c_params }) => ({
    live: !gone && LIVE.has(state),
    createdAt: cloud_c_params.create_time || createdAt,
    rotatedAt: rotated_at,
  }),
  planOf: (key) => ({
    cloud: 'cloud-c',
    resource_type: 'key',
    resource_id: key.id,
    resource_name: key.cloud_c_params.key_name,
    container: key.key_ring,
    lane: key.project_id,
    seconds: isNative(key) ? ROTATION_SECONDS.native : ROTATION_SECONDS.local,
  }),
  rotate: async (context, id) => {
    const stored = await cloudCKeys.get(context.caller.domain.id, id)
    const algorithm = stored?.item.labels?.auto_rotate_algorithm
    await rotate(context, id, {
      isNative: stored === undefined || isNative(stored.item),
      ...(algorithm !== undefined && { algorithm }),
    })
    return id
  },
}
