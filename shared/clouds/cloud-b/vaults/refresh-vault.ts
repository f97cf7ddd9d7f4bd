import { Refusal } from '../../../base/errors.ts'
import { sameFields, without } from '../../../base/fields.ts'
import { Changes } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import { isOfCredentials } from '../../../base/attempts.ts'
import type { CloudBEntry, CloudBVaultRead } from '../adapter/types.ts'
import { cloudB } from '../adapter.ts'
import { factsOf } from './add-vaults.ts'
import { cloudBVaults, type StoredCloudBVault } from './store.ts'

/**
 * The record updated with the cloud's present description of the vault: it may have moved to another resource group, or
 * have been deleted and created again under the same name. A deleted vault, even a soft-deleted one, is gone.
 */
export const asRead = (vault: StoredCloudBVault, read: CloudBVaultRead | undefined): StoredCloudBVault =>
  read === undefined ? { ...vault, gone: true } : { ...without(vault, 'soft_delete_retention_days'), ...factsOf(read) }

/**
 * Updates the record of a vault. Ours: if the connection may use the vault but not read its description, the record
 * stays.
 * @throws Refusal CLOUD_NOT_FOUND when the cloud no longer has the vault; Stale
 */
export async function refreshVault(
  domain: string,
  before: Stored<StoredCloudBVault>,
  entry: CloudBEntry,
  now: Date,
): Promise<StoredCloudBVault> {
  const { item: vault } = before
  const { subscription_id, name, managed_hsm } = vault
  try {
    const read = await cloudB.vault(entry, { subscription_id, name, managed_hsm })
    const fresh = asRead(vault, read)
    if (!sameFields(fresh, vault)) {
      const changes = new Changes()
      changes.update(cloudBVaults, domain, before, { ...fresh, updatedAt: now.toISOString() })
      await changes.commit(now)
    }
    if (read !== undefined) return fresh
  } catch (error) {
    if (isOfCredentials(error)) return vault
    throw error
  }
  throw new Refusal(
    'CLOUD_NOT_FOUND',
    `The vault ${name} is gone from the subscription ${subscription_id}. If it is soft-deleted, recover it at the cloud; if it was moved, remove it here and add it from its subscription.`,
  )
}
