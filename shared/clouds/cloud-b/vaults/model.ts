import * as z from 'zod'
import { CommonContainer, commonContainerFilters } from '../../../cloud/containers/model.ts'
import { NameOrId, Resource, Time, Uuid } from '../../../http/common-fields.ts'
import { anyOf, anyPatterns, anyTexts, flag, listQuery } from '../../../http/lists/list-query.ts'
import { extended, object, strictObject } from '../../../base/lazy-fields.ts'
import { CLOUD_B_NAMES } from '../param.ts'

export const SubscriptionId = z.guid({ error: 'must be the id of a subscription' }).toLowerCase()

const Facts = {
  subscription_id: z.string(),
  display_name: z.string(),
  tenant_id: z.string(),
  state: z.string(),
  cloud_name: z.enum(CLOUD_B_NAMES),
}
/** A subscription of the cloud, which contains vaults. */
export const CloudBSubscription = extended(Resource, () => ({
  ...Facts,
  connection: z.string().meta({ description: 'name of the connection that found it last' }),
}))
export type CloudBSubscription = z.infer<typeof CloudBSubscription>

export const FindSubscriptions = z.strictObject({ connection: NameOrId })
export const FoundSubscriptions = object(() => ({ subscriptions: z.array(z.object(Facts)) }))
export const SubscriptionQuery = listQuery(CloudBSubscription, () => ({
  ...anyTexts('subscription_id', 'tenant_id'),
  ...anyPatterns('display_name'),
}))

const SKUS = ['standard', 'premium', 'managed-hsm'] as const

/** A vault or managed HSM pool as the cloud describes it. */
const FoundVault = object(() => ({
  name: z.string(),
  cloud_vault_id: z.string().meta({ description: "the cloud's resource id" }),
  subscription_id: z.string(),
  location: z.string(),
  resource_group: z.string(),
  sku: z.enum(SKUS),
  managed_hsm: z.boolean().meta({ description: 'whether it is a managed HSM pool' }),
  tenant: z.string(),
  vault_url: z.string(),
  soft_delete_enabled: z.boolean(),
  soft_delete_retention_days: z.int().optional(),
  purge_protection: z.boolean(),
  tags: z.record(z.string(), z.string()),
}))

/** Ours: backups kept of one key; beyond this number the oldest is removed. */
const BACKUPS_MOST = 50
const BackupLimit = z.int().min(1).max(BACKUPS_MOST).meta({ description: 'number of stored backups of a key' })

const vaultJob = {
  job_config_id: Uuid,
  auto_rotate_key_source: z.enum(['native', 'local']),
  override_key_scheduler: z.boolean().optional().meta({ description: 'also keys that have a job of their own' }),
}
/** The job that rotates every key of a vault, later ones included. */
export const EnableVaultRotationJob = z.strictObject(vaultJob)
export type EnableVaultRotationJob = z.infer<typeof EnableVaultRotationJob>
const VaultLabels = z.object(vaultJob)

/** A vault or managed HSM pool: the container of keys, secrets and certificates. */
export const CloudBVault = extended(CommonContainer, () => ({
  ...FoundVault.shape,
  cloud_name: z.enum(CLOUD_B_NAMES),
  subscription_name: z.string(),
  region: z.string().meta({ description: 'the same as location' }),
  labels: VaultLabels.optional(),
  cloud_key_backup_limit: BackupLimit,
  refreshed_at: Time.optional().meta({ description: 'time of the last synchronization of its content' }),
  gone: z.boolean().meta({ description: 'whether the cloud no longer has it, or has it soft-deleted' }),
}))
export type CloudBVault = z.infer<typeof CloudBVault>

/** One page of a look-up. */
export const FindVaults = strictObject(() => ({
  connection: NameOrId,
  subscription_id: SubscriptionId,
  limit: z.int().min(1).max(1_000).default(10),
  nextLink: z.string().min(1).max(10_000).optional(),
}))
export type FindVaults = z.infer<typeof FindVaults>
export const FoundVaults = object(() => ({ vaults: z.array(FoundVault), nextLink: z.string().optional() }))

const Named = strictObject(() => ({
  ...FoundVault.partial().shape,
  name: z.string().regex(/^[A-Za-z0-9-]{3,24}$/, { error: 'must be the name of a vault' }),
  managed_hsm: z
    .boolean()
    .optional()
    .meta({ description: 'whether it is a managed HSM pool; without it, the vault of that name, or else the pool' }),
}))
/** Ours: as many as fit into one transaction. */
const VAULTS_AT_ONCE = 12
export const AddVaults = strictObject(() => ({
  connection: NameOrId,
  subscription_id: SubscriptionId,
  vaults: z
    .array(Named)
    .min(1)
    .max(VAULTS_AT_ONCE)
    .refine(
      (vaults) =>
        new Set(vaults.map((one) => `${one.name.toLowerCase()} ${one.managed_hsm ?? false}`)).size === vaults.length,
      { error: 'must not name a vault twice' },
    )
    .meta({ description: 'as the look-ups tell of them; name and managed_hsm count, the rest is read anew' }),
}))
export type AddVaults = z.infer<typeof AddVaults>
export const AddedVaults = object(() => ({ vaults: z.array(CloudBVault) }))

export const UpdateVault = strictObject(() => ({
  connection: NameOrId.optional().meta({ description: 'must reach the vault, which is read anew' }),
  cloud_key_backup_limit: BackupLimit.optional(),
}))
export type UpdateVault = z.infer<typeof UpdateVault>

export const VaultQuery = listQuery(CloudBVault, () => ({
  ...commonContainerFilters,
  ...anyTexts('subscription_id', 'location', 'resource_group'),
  sku: anyOf(SKUS).optional(),
  cloud_name: anyOf(CLOUD_B_NAMES).optional(),
  managed_hsm: flag().optional(),
}))
