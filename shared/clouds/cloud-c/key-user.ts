import { usesOfMaterial } from '../../cloud/keys/key-users.ts'
import type { KeyUser } from '../../vault/keys/lifecycle/key-users.ts'
import { cloudCKeys } from './keys/store.ts'
import { cloudCRings } from './rings/store.ts'
import { cloudCVersions } from './versions/store.ts'

/** Versions of keys with material of local keys. */
export const cloudCKeyUser: KeyUser = {
  usesOf: async (context, _name, versions) => [
    await usesOfMaterial(
      {
        noun: 'cloud-c key version',
        entity: cloudCVersions,
        containerOf: async (domain, { parent_key_id }) => {
          const key = await cloudCKeys.get(domain, parent_key_id)
          return key && (await cloudCRings.get(domain, key.item.key_ring_id))?.item
        },
        viewOf: () => 'view',
        nameOf: ({ cloud_c_params: { name } }) => name,
        action: 'ReadCloudCKeyVersion',
      },
      context,
      versions,
    ),
  ],
}
