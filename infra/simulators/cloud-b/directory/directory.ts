/** The cloud's resources outside of vaults. Nothing here is secret: the simulator listens on loopback. */

export interface Tenant {
  /** lower-case UUID */
  readonly id: string
  readonly domain: string
}

/** An application with credentials, and its service principal. */
export interface Application {
  readonly clientId: string
  readonly objectId: string
  readonly tenant: string
  readonly name: string
  readonly secrets: readonly { readonly value: string; readonly expiresAt?: number }[]
  /** Whether a certificate is registered for it, whose key is generated at the start. */
  readonly hasCertificate: boolean
  /** Certificates registered for it later, DER in Base64. */
  readonly certificates?: readonly string[]
  readonly disabled?: boolean
}

/** A person. Tokens of people are issued backstage only. */
export interface User {
  readonly objectId: string
  readonly tenant: string
  /** user principal name, as in logs */
  readonly upn: string
}

export interface Subscription {
  readonly id: string
  readonly displayName: string
  readonly tenant: string
  readonly state: 'Enabled' | 'Warned' | 'Disabled'
}

/** An assignment of a role. */
export interface Assignment {
  /** object id of an application or a user */
  readonly principal: string
  /** name of a role */
  readonly role: string
  /** resource id: a subscription, a resource group, a vault, a workspace, or a key below a vault */
  readonly scope: string
}

/** A log workspace. */
export interface Workspace {
  /** its customer id, by which queries name it */
  readonly id: string
  readonly name: string
  readonly subscription: string
  readonly resourceGroup: string
}

/** Rights in vaults without role assignments. Words as the cloud spells them: `get`, `wrapKey`, `all`. */
export interface AccessPolicy {
  readonly objectId: string
  readonly permissions: Readonly<Partial<Record<'keys' | 'secrets' | 'certificates', readonly string[]>>>
}

/** A vault, or a managed HSM. Names are unique in the whole cloud. */
export interface Vault {
  readonly name: string
  readonly sku: 'standard' | 'premium' | 'managed-hsm'
  readonly subscription: string
  readonly resourceGroup: string
  readonly location: string
  readonly softDelete: boolean
  /** 7 to 90 */
  readonly retentionDays: number
  readonly purgeProtection: boolean
  /** Whether role assignments grant the rights, or `accessPolicies`. */
  readonly roles: boolean
  readonly accessPolicies: readonly AccessPolicy[]
  /** Whether its firewall refuses every address. */
  readonly closed: boolean
  readonly tags: Readonly<Record<string, string>>
  /** Workspace that receives its log; without one, nothing is logged. */
  readonly workspace?: string | undefined
  readonly deleted?: { readonly at: number; readonly purgeAt: number } | undefined
}

export const LOCATIONS: readonly { readonly name: string; readonly displayName: string; readonly geography: string }[] =
  [
    { name: 'eastus', displayName: 'East US', geography: 'United States' },
    { name: 'germanywestcentral', displayName: 'Germany West Central', geography: 'Germany' },
    { name: 'northeurope', displayName: 'North Europe', geography: 'Europe' },
    { name: 'westeurope', displayName: 'West Europe', geography: 'Europe' },
    { name: 'westus2', displayName: 'West US 2', geography: 'United States' },
  ]

export const geographyOf = ({ location }: Pick<Vault, 'location'>): string =>
  LOCATIONS.find(({ name }) => name === location)?.geography ?? location

export const isHsm = ({ sku }: Pick<Vault, 'sku'>): boolean => sku === 'managed-hsm'

/** `myvault.vault.azure.net` */
export const hostOf = (vault: Pick<Vault, 'name' | 'sku'>): string =>
  `${vault.name}.${isHsm(vault) ? 'managedhsm' : 'vault'}.azure.net`

export const groupIdOf = ({ subscription, resourceGroup }: Pick<Vault, 'subscription' | 'resourceGroup'>): string =>
  `/subscriptions/${subscription}/resourceGroups/${resourceGroup}`

export const vaultIdOf = (vault: Pick<Vault, 'name' | 'sku' | 'subscription' | 'resourceGroup'>): string =>
  `${groupIdOf(vault)}/providers/Microsoft.KeyVault/${isHsm(vault) ? 'managedHSMs' : 'vaults'}/${vault.name}`

export const workspaceIdOf = (workspace: Workspace): string =>
  `${groupIdOf(workspace)}/providers/Microsoft.OperationalInsights/workspaces/${workspace.name}`

/** The cloud's names of recovery levels, from the settings of the vault. */
export function recoveryLevelOf({ softDelete, purgeProtection, retentionDays }: Vault): string {
  if (!softDelete) return 'Purgeable'
  const level = retentionDays === 90 ? 'Recoverable' : 'CustomizedRecoverable'
  return purgeProtection ? level : `${level}+Purgeable`
}
