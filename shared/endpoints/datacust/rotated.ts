import type { Rotated } from '../../work/schedule/job-operations/rotated.ts'
import { externalKeys, type ExternalKeyRow, type StoredExternalKey } from './keys/store.ts'
import { addVersion } from './keys/versions.ts'

/** External keys: a rotation adds a version of the local key. Versions do not expire. */
export const externalKeysRotated: Rotated<StoredExternalKey, ExternalKeyRow> = {
  entity: externalKeys,
  facts: ({ state, createdAt }) => ({ live: state === 'Enabled', createdAt }),
  plan: ({ name, keystore_id }) => ({
    resource_name: name,
    container: keystore_id,
    quotaGroup: 'local', // the rotation calls no cloud, so it has no quota
    seconds: 0,
  }),
  single: () => ({ action: 'CreateDatacustExternalKeyVersion', may: 'keymgr-users' }),
  rotate: async (context, { id }) => {
    await addVersion(context, id, {})
    return id
  },
}
