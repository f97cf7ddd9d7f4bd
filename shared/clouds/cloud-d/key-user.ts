import { usesOfMaterial, usesServed, type UsingRecords } from '../../cloud/keys/key-users.ts'
import type { KeyUser } from '../../vault/keys/lifecycle/key-users.ts'
import { followLocalKey } from './external/follow.ts'
import { cloudDKeys } from './keys/store.ts'
import { cloudDVaults } from './vaults/store.ts'
import { cloudDVersions, type CloudDVersionRow, type StoredCloudDVersion } from './versions/store.ts'

const records = (noun: string): UsingRecords<StoredCloudDVersion, CloudDVersionRow> => ({
  noun,
  entity: cloudDVersions,
  containerOf: async (domain, { parent_key_id }) => {
    const key = await cloudDKeys.get(domain, parent_key_id)
    return key && (await cloudDVaults.get(domain, key.item.vault_resource_id))?.item
  },
  viewOf: () => 'view',
  nameOf: ({ param: { version_id } }) => version_id,
  action: 'ReadCloudDKeyVersion',
})

const vaultOf = async (domain: string, { parent_key_id }: StoredCloudDVersion): Promise<string | undefined> =>
  (await cloudDKeys.get(domain, parent_key_id))?.item.vault_resource_id

/** Versions of keys that have material of local keys, or use them here. */
export const cloudDKeyUser: KeyUser = {
  usesOf: (context, _name, versions) =>
    Promise.all([
      usesOfMaterial(records('cloud-d key version'), context, versions),
      usesServed({ ...records('cloud-d external key version'), endpointOf: vaultOf }, context, versions),
    ]),
  follow: followLocalKey,
}
