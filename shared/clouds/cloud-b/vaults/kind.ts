import { without } from '../../../base/fields.ts'
import type { ContainerKind } from '../../../cloud/containers/kind.ts'
import { RECORDED_ALONE } from '../../../cloud/containers/model.ts'
import type { CloudBVault } from './model.ts'
import { cloudBVaults, vaultsNamed, type CloudBVaultRow, type StoredCloudBVault } from './store.ts'

const VIEWS: readonly string[] = ['view', 'reportview']

/** Vaults and managed HSM pools, the containers of keys, secrets and certificates. */
export const vaultKind: ContainerKind<StoredCloudBVault, CloudBVaultRow, CloudBVault> = {
  entity: cloudBVaults,
  noun: 'vault',
  nameOf: ({ name }) => name,
  namedBy: 'vault',
  sharedNames: { idsOf: vaultsNamed, orAs: '<name>::<subscription_id>' },
  views: VIEWS,
  viewOf: (action) => (VIEWS.includes(action) ? [] : [action.startsWith('report') ? 'reportview' : 'view']),
  audited: ['name', 'subscription_id', 'connection', 'cloud_key_backup_limit', 'gone', 'acls', 'labels'],
  present: (vault) => without(vault, ...RECORDED_ALONE, 'synchronized'),
}
