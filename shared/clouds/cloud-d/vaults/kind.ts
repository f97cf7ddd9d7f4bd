import { defined, without } from '../../../base/fields.ts'
import type { ContainerKind } from '../../../cloud/containers/kind.ts'
import { RECORDED_ALONE } from '../../../cloud/containers/model.ts'
import { DATA_PLANE, originOf } from '../external/identifiers.ts'
import type { CloudDVault } from './model.ts'
import { cloudDVaults, vaultsNamed, type CloudDVaultRow, type StoredCloudDVault } from './store.ts'

const VIEWS: readonly string[] = ['view', 'viewhyokkey', 'reportview']

/** The view that an action implies. */
function viewOf(action: string): string {
  if (action.startsWith('report')) return 'reportview'
  return action.startsWith('hyok') ? 'viewhyokkey' : 'view'
}

/** A vault as shown: an external one with its name, address and policy. */
function present({ policy, external_vault_params: external, ...vault }: StoredCloudDVault): CloudDVault {
  const shown = without(vault, ...RECORDED_ALONE, 'policy_hash')
  if (external === undefined) return shown
  const endpoint_url = `${originOf(external)}${DATA_PLANE}${vault.id}`
  const params = { vault_name: vault.display_name, ...external, endpoint_url, ...defined({ policy: policy?.text }) }
  return { ...shown, external_vault_params: params }
}

const AUDITED = [
  'display_name',
  'vault_id',
  'connection',
  'bucket_name',
  'bucket_namespace',
  'acls',
  'external_vault_params',
  'policy_hash',
] as const

/** Vaults, the containers of keys. */
export const vaultKind: ContainerKind<StoredCloudDVault, CloudDVaultRow, CloudDVault> = {
  entity: cloudDVaults,
  noun: 'vault',
  nameOf: ({ display_name }) => display_name,
  namedBy: 'vault',
  sharedNames: { idsOf: vaultsNamed, orAs: "the cloud's id" },
  views: VIEWS,
  viewOf: (action) => (VIEWS.includes(action) ? [] : [viewOf(action)]),
  audited: AUDITED,
  present,
}
