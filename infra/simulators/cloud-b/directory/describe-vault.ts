import { hostOf, isHsm, vaultIdOf, type LOCATIONS, type Subscription, type Vault } from './directory.ts'
import type { CloudState } from '../state/state.ts'

/** Resources in the answers of the management plane. */

export const describeSubscription = ({ id, displayName, tenant, state }: Subscription): object => ({
  id: `/subscriptions/${id}`,
  authorizationSource: 'RoleBased',
  managedByTenants: [],
  subscriptionId: id,
  tenantId: tenant,
  displayName,
  state,
  subscriptionPolicies: {
    locationPlacementId: 'Public_2014-09-01',
    quotaId: 'PayAsYouGo_2014-09-01',
    spendingLimit: 'Off',
  },
})

export const describeLocation = (
  subscription: string,
  { name, displayName, geography }: (typeof LOCATIONS)[number],
): object => ({
  id: `/subscriptions/${subscription}/locations/${name}`,
  name,
  type: 'Region',
  displayName,
  regionalDisplayName: displayName,
  metadata: { regionType: 'Physical', regionCategory: 'Recommended', geography, geographyGroup: geography },
})

const typeOf = (vault: Vault): string => `Microsoft.KeyVault/${isHsm(vault) ? 'managedHSMs' : 'vaults'}`

/** A resource without its properties, as the general list of resources has it. */
export const describeResource = (vault: Vault): object => ({
  id: vaultIdOf(vault),
  name: vault.name,
  type: typeOf(vault),
  location: vault.location,
  tags: vault.tags,
})

export function describeVault(state: CloudState, vault: Vault): object {
  const tenantId = state.thing('subscription', vault.subscription)?.tenant ?? ''
  return isHsm(vault) ? describeHsm(vault, tenantId) : describePlain(vault, tenantId)
}

const networkAcls = ({ closed }: Vault): object => ({
  bypass: 'AzureServices',
  defaultAction: closed ? 'Deny' : 'Allow',
  ipRules: [],
  virtualNetworkRules: [],
})

const describePlain = (vault: Vault, tenantId: string): object => ({
  ...describeResource(vault),
  properties: {
    sku: { family: 'A', name: vault.sku },
    tenantId,
    networkAcls: networkAcls(vault),
    accessPolicies: vault.accessPolicies.map((policy) => ({ tenantId, ...policy })),
    enabledForDeployment: false,
    enabledForDiskEncryption: false,
    enabledForTemplateDeployment: false,
    enableSoftDelete: vault.softDelete,
    ...(vault.softDelete && { softDeleteRetentionInDays: vault.retentionDays }),
    enableRbacAuthorization: vault.roles,
    ...(vault.purgeProtection && { enablePurgeProtection: true }), // absent, never false
    vaultUri: `https://${hostOf(vault)}/`,
    provisioningState: 'Succeeded',
    publicNetworkAccess: 'Enabled',
  },
})

const describeHsm = (vault: Vault, tenantId: string): object => ({
  ...describeResource(vault),
  sku: { family: 'B', name: 'Standard_B1' },
  properties: {
    tenantId,
    hsmUri: `https://${hostOf(vault)}/`,
    networkAcls: networkAcls(vault),
    enableSoftDelete: true,
    softDeleteRetentionInDays: vault.retentionDays,
    enablePurgeProtection: vault.purgeProtection,
    provisioningState: 'Succeeded',
    statusMessage: 'The Managed HSM is provisioned and ready to use.',
    publicNetworkAccess: 'Enabled',
  },
})

export const describeDeletedVault = (vault: Vault): object => ({
  id: `/subscriptions/${vault.subscription}/providers/Microsoft.KeyVault/locations/${vault.location}/deleted${isHsm(vault) ? 'ManagedHSMs' : 'Vaults'}/${vault.name}`,
  name: vault.name,
  type: `Microsoft.KeyVault/deleted${isHsm(vault) ? 'ManagedHSMs' : 'Vaults'}`,
  properties: {
    [isHsm(vault) ? 'mhsmId' : 'vaultId']: vaultIdOf(vault),
    location: vault.location,
    tags: vault.tags,
    deletionDate: new Date(vault.deleted?.at ?? 0).toISOString(),
    scheduledPurgeDate: new Date(vault.deleted?.purgeAt ?? 0).toISOString(),
    ...(vault.purgeProtection && { purgeProtectionEnabled: true }),
  },
})
