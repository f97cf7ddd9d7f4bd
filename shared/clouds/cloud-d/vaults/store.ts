import type * as z from 'zod'
import { containerEntity } from '../../../cloud/containers/entity.ts'
import { storedContainer } from '../../../cloud/containers/model.ts'
import { CloudDVault } from './model.ts'

const StoredCloudDVault = CloudDVault.extend(storedContainer)
export type StoredCloudDVault = z.infer<typeof StoredCloudDVault>

const called = (name: string): string => `name:${name}`
/** The family of a tenancy's vaults, by their ids. */
export const vaultsOfTenancy = (tenancy: string): string => `tenancy:${tenancy}`

/**
 * Vaults, unique in a domain by the cloud's ids. Those with the same name, and those of a tenancy, can be read
 * together.
 */
export const cloudDVaults = containerEntity({
  name: 'cloud-d-vault',
  schema: StoredCloudDVault,
  unique: ({ vault_id }) => ({ vault: [vault_id] }),
  families: ({ id, display_name, tenancy }) => [
    { name: called(display_name), key: id },
    { name: vaultsOfTenancy(tenancy), key: id },
  ],
  row: ({ vault_id, display_name, compartment_id, region, tenancy, lifecycle_state, vault_type }) => ({
    vault_id,
    display_name,
    compartment_id,
    region,
    tenancy,
    lifecycle_state,
    vault_type,
  }),
})
export type CloudDVaultRow = ReturnType<typeof cloudDVaults.row>

/** Ours: more vaults than share one name in practice. */
const NAMESAKES_MOST = 100

/** Ids of the vaults with a name or an id of the cloud. */
export async function vaultsNamed(domain: string, reference: string): Promise<readonly string[]> {
  const byCloudId = await cloudDVaults.holder(domain, 'vault', reference)
  if (byCloudId !== undefined) return [byCloudId]
  const members = await cloudDVaults.membersAfter(domain, called(reference), undefined, NAMESAKES_MOST)
  return members.map(({ id }) => id)
}
