import { discovery, everyItem } from '../../cloud/containers/discovery.ts'
import type { Context } from '../../http/context.ts'
import type { Discovered, FoundContainer, Search } from '../../work/schedule/discovery/discovered.ts'
import { cloudB } from './adapter.ts'
import { NAME } from './name.ts'
import { entryOf } from './place.ts'
import { connectionNamed } from './reached.ts'
import { subscriptionsOf } from './subscriptions/subscriptions.ts'
import { addVaults } from './vaults/add-vaults.ts'
import { vaultKind } from './vaults/kind.ts'
import { AddVaults } from './vaults/model.ts'
import { vaultKey } from './vaults/store.ts'

const A_PAGE = 200

/** Vaults and managed HSM pools of a subscription. */
async function vaultsIn(context: Context, { connection }: Search, place: string): Promise<readonly FoundContainer[]> {
  const subscription_id = place.toLowerCase()
  const entry = await entryOf(context, await connectionNamed(context, connection))
  const listed = (list: 'vaults' | 'managedHsms') =>
    everyItem(async (next_link) => {
      const page = await cloudB[list](entry, { subscription_id, limit: A_PAGE, next_link })
      return { items: page.items, next: page.next_link }
    })
  return [...(await listed('vaults')), ...(await listed('managedHsms'))].map(({ name, location, managed_hsm }) => ({
    name,
    region: location,
    key: vaultKey({ name, subscription_id, managed_hsm }),
    body: { connection, subscription_id, vaults: [{ name, managed_hsm }] },
  }))
}

/** Each subscription is a place. */
export const cloudBDiscovered: Discovered = discovery({
  service: NAME,
  kind: vaultKind,
  find: { action: 'ReadCloudBVaults', may: 'keymgr-admins' },
  add: { action: 'AddCloudBVaults', may: 'keymgr-admins', summary: 'Add Cloud-b Vaults' },
  body: AddVaults,
  verb: addVaults,
  places: async (context, { connection }) => {
    const found = await subscriptionsOf(context, await connectionNamed(context, connection))
    return found.map(({ subscription_id }) => subscription_id)
  },
  containersIn: vaultsIn,
})
