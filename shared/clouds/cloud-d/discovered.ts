import { atOnce } from '../../base/at-once.ts'
import { discovery, everyItem } from '../../cloud/containers/discovery.ts'
import type { Context } from '../../http/context.ts'
import type { Discovered, FoundContainer, Search } from '../../work/schedule/discovery/discovered.ts'
import { cloudD } from './adapter.ts'
import { NAME } from './name.ts'
import { connectionNamed, entryOf } from './place.ts'
import { vaultKind } from './vaults/kind.ts'
import { AddVaults } from './vaults/model.ts'
import { addVaults } from './vaults/vaults.ts'

const A_PAGE = 100
/** Ours: a compartment has a list of vaults in each region. */
const COMPARTMENTS_AT_ONCE = 5
const READY = 'READY'
const ACTIVE = 'ACTIVE'

const entryBy = async (context: Context, connection: string) =>
  entryOf(context, await connectionNamed(context, connection))

/** Vaults of a region, in all compartments. Ours: a vault that is being made or deleted is left out. */
async function vaultsIn(context: Context, { connection }: Search, region: string): Promise<readonly FoundContainer[]> {
  const entry = await entryBy(context, connection)
  const compartments = await everyItem((page) => cloudD.compartments(entry, undefined, { page }))
  const found = await atOnce(compartments, COMPARTMENTS_AT_ONCE, ({ compartment_id }) =>
    everyItem((page) => cloudD.vaults(entry, region, compartment_id, { limit: A_PAGE, page })),
  )
  return found
    .flat()
    .filter(({ lifecycle_state }) => lifecycle_state === ACTIVE)
    .map(({ display_name, vault_id }) => ({
      name: display_name,
      region,
      key: vault_id,
      body: { connection, region, vault_id: [vault_id] },
    }))
}

/** Each region is a place. */
export const cloudDDiscovered: Discovered = discovery({
  service: NAME,
  kind: vaultKind,
  find: { action: 'ReadCloudDVaults', may: 'keymgr-admins' },
  add: { action: 'AddCloudDVaults', may: 'keymgr-admins', summary: 'Add Cloud-d Vaults' },
  body: AddVaults,
  verb: addVaults,
  places: async (context, { connection, regions }) => {
    const found = await cloudD.regions(await entryBy(context, connection))
    return found
      .filter(({ name, status }) => status === READY && (regions?.includes(name) ?? true))
      .map(({ name }) => name)
  },
  containersIn: vaultsIn,
})
