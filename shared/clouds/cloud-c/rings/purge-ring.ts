import { versionedPurge } from '../../../cloud/keys/versions/purge-keys.ts'
import { cloudCKeys, keysOfRing } from '../keys/store.ts'
import { cloudCVersions } from '../versions/store.ts'

/** Records of keys that go because their ring went. */
export const ringPurge = versionedPurge({
  name: 'cloud-c-ring-purge',
  field: 'ring_id',
  due: 'purge-ring',
  keys: cloudCKeys,
  versions: cloudCVersions,
  keysIn: keysOfRing,
})
