import type { Rotated } from '../../work/schedule/job-operations/rotated.ts'
import { datacustKeys, type DatacustKeyRow, type StoredDatacustKey } from './keys/store.ts'
import { rotate } from './versions/new-version.ts'

/** Ours: the cloud publishes no quota. */
const ROTATION_SECONDS = 1

/** Keys of datacust: a rotation adds a version to the same key. */
export const datacustRotated: Rotated<StoredDatacustKey, DatacustKeyRow> = {
  entity: datacustKeys,
  facts: ({ gone, rotated_at, createdAt, datacust_param: { enabled } }) => ({
    live: !gone && enabled,
    createdAt,
    rotatedAt: rotated_at,
  }),
  plan: ({ tenant = '', datacust_group_name, datacust_param: { name } }) => ({
    resource_name: name,
    container: datacust_group_name,
    quotaGroup: tenant,
    seconds: ROTATION_SECONDS,
  }),
  single: () => ({ action: 'CreateDatacustKeyVersion', may: 'keymgr-users' }),
  rotate: async (context, key) => {
    await rotate(context, key.id, key.labels?.auto_rotate_key_source !== 'local')
    return key.id
  },
}
