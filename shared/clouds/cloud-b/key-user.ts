import { usesOfMaterial } from '../../cloud/keys/key-users.ts'
import type { KeyUser } from '../../vault/keys/lifecycle/key-users.ts'
import { VIEW } from './items/item.ts'
import { cloudBKeys } from './keys/store.ts'
import { cloudBVaults } from './vaults/store.ts'

/** Versions of keys with material of local keys. */
export const cloudBKeyUser: KeyUser = {
  usesOf: async (context, _name, versions) => [
    await usesOfMaterial(
      {
        noun: 'cloud-b key version',
        entity: cloudBKeys,
        containerOf: async (domain, { key_vault_id }) => (await cloudBVaults.get(domain, key_vault_id))?.item,
        viewOf: () => VIEW,
        nameOf: ({ key_vault, key_name }) => `${key_vault}/${key_name}`,
        action: 'ReadCloudBKey',
      },
      context,
      versions,
    ),
  ],
}
