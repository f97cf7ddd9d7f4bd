import { usesOfMaterial } from '../../cloud/keys/key-users.ts'
import type { KeyUser } from '../../vault/keys/lifecycle/key-users.ts'
import { followLocalKey } from './external/follow.ts'
import { cloudDKeys } from './keys/store.ts'
import { cloudDVaults } from './vaults/store.ts'
import { cloudDVersions } from './versions/store.ts'

/** Versions of keys that have material of local keys, or use them here. */
export const cloudDKeyUser: KeyUser = {
  usesOf: async (context, _name, versions) => [
    await usesOfMaterial(
      {
        noun: 'cloud-d key version',
        entity: cloudDVersions,
        containerOf: async (domain, { parent_key_id }) => {
          const key = await cloudDKeys.get(domain, parent_key_id)
          return key && (await cloudDVaults.get(domain, key.item.vault_resource_id))?.item
        },
        viewOf: () => 'view',
        nameOf: ({ param: { version_id } }) => version_id,
        action: 'ReadCloudDKeyVersion',
      },
      context,
      versions,
    ),
  ],
  follow: followLocalKey,
}
