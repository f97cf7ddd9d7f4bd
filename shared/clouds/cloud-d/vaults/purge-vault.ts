import { versionedPurge } from '../../../cloud/keys/versions/purge-keys.ts'
import { cloudDKeys, keysOfVault } from '../keys/store.ts'
import { cloudDVersions } from '../versions/store.ts'

/** Removes the records of a removed vault's keys. */
export const vaultPurge = versionedPurge({
  name: 'cloud-d-vault-purge',
  field: 'vault_id',
  due: 'purge-cloud-d-vault',
  keys: cloudDKeys,
  versions: cloudDVersions,
  keysIn: keysOfVault,
})
