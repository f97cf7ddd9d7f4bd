import type * as z from 'zod'
import { containerEntity } from '../../../cloud/containers/entity.ts'
import { storedContainer } from '../../../cloud/containers/model.ts'
import { extended } from '../../../base/lazy-fields.ts'
import { StoredExternalParams, withPolicy } from '../external/params.ts'
import { CloudDVault } from './model.ts'

const StoredCloudDVault = extended(CloudDVault, () => ({
  ...storedContainer,
  ...withPolicy,
  external_vault_params: StoredExternalParams.optional(),
}))
export type StoredCloudDVault = z.infer<typeof StoredCloudDVault>

const called = (name: string): string => `name:${name}`
/** The family of a tenancy's vaults, by their ids. */
export const vaultsOfTenancy = (tenancy: string): string => `tenancy:${tenancy}`
/** The family of the external vaults that trust an issuer, by their ids. */
export const vaultsOfIssuer = (issuerId: string): string => `issuer:${issuerId}`

/**
 * Vaults, unique in a domain by the cloud's ids. Those with the same name, those of a tenancy, and those that trust an
 * issuer can be read together.
 */
export const cloudDVaults = containerEntity({
  name: 'cloud-d-vault',
  schema: StoredCloudDVault,
  unique: ({ vault_id }) => ({ vault: [vault_id] }),
  families: ({ id, display_name, tenancy, external_vault_params: external }) => [
    { name: called(display_name), key: id },
    { name: vaultsOfTenancy(tenancy), key: id },
    ...(external === undefined ? [] : [{ name: vaultsOfIssuer(external.issuer_id), key: id }]),
  ],
  row: ({ vault_id, display_name, compartment_id, region, tenancy, lifecycle_state, vault_type, ...vault }) => ({
    vault_id,
    display_name,
    compartment_id,
    region,
    tenancy,
    lifecycle_state,
    vault_type,
    linked_state: vault.external_vault_params?.linked_state,
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
