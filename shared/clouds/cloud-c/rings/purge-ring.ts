import { versionedPurge } from '../../../cloud/keys/versions/purge-keys.ts'
import { cloudCKeys, keysOfRing } from '../keys/store.ts'
import { cloudCVersions } from '../versions/store.ts'

/** Records of keys to remove because their ring was removed. */
export const ringPurge = versionedPurge({
  name: 'cloud-c-ring-purge',
  field: 'ring_id',
  due: 'purge-ring',
  keys: cloudCKeys,
  versions: cloudCVersions,
  keysIn: keysOfRing,
})
