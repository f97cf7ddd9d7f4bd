import { versionedPurge } from '../../../cloud/keys/versions/purge-keys.ts'
import { datacustKeys, keysOfGroup } from '../keys/store.ts'
import { datacustVersions } from '../versions/store.ts'

/** Removes the records of a removed group's keys. */
export const groupPurge = versionedPurge({
  name: 'datacust-group-purge',
  field: 'group_record_id',
  due: 'purge-datacust-group',
  keys: datacustKeys,
  versions: datacustVersions,
  keysIn: keysOfGroup,
})
