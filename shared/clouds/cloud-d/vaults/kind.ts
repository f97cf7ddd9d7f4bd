import { without } from '../../../base/fields.ts'
import type { ContainerKind } from '../../../cloud/containers/kind.ts'
import type { CloudDVault } from './model.ts'
import { cloudDVaults, vaultsNamed, type CloudDVaultRow, type StoredCloudDVault } from './store.ts'

const VIEWS: readonly string[] = ['view', 'reportview']

/** Vaults, the containers of keys. */
export const vaultKind: ContainerKind<StoredCloudDVault, CloudDVaultRow, CloudDVault> = {
  entity: cloudDVaults,
  noun: 'vault',
  nameOf: ({ display_name }) => display_name,
  namedBy: 'vault',
  sharedNames: { idsOf: vaultsNamed, orAs: "the cloud's id" },
  views: VIEWS,
  viewOf: (action) => (VIEWS.includes(action) ? [] : [action.startsWith('report') ? 'reportview' : 'view']),
  audited: ['display_name', 'vault_id', 'connection', 'bucket_name', 'bucket_namespace', 'acls'],
  present: (vault) => without(vault, 'connection_id'),
}
