import { usesOfMaterial } from '../../cloud/keys/key-users.ts'
import type { KeyUser } from '../../vault/keys/lifecycle/key-users.ts'
import { datacustGroups } from './groups/store.ts'
import { datacustKeys } from './keys/store.ts'
import { datacustVersions } from './versions/store.ts'

/** Versions of keys that use material of local keys. */
export const datacustKeyUser: KeyUser = {
  usesOf: async (context, _name, versions) => [
    await usesOfMaterial(
      {
        noun: 'datacust key version',
        entity: datacustVersions,
        containerOf: async (domain, { parent_key_id }) => {
          const key = await datacustKeys.get(domain, parent_key_id)
          return key && (await datacustGroups.get(domain, key.item.cckm_group_id))?.item
        },
        viewOf: () => 'view',
        nameOf: ({ id }) => id,
        action: 'ReadDatacustKeyVersion',
      },
      context,
      versions,
    ),
  ],
}
