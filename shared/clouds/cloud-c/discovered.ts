import { atOnce } from '../../base/at-once.ts'
import { discovery, everyItem } from '../../cloud/containers/discovery.ts'
import type { Context } from '../../http/context.ts'
import type { Discovered, FoundContainer, Search } from '../../work/schedule/discovery/discovered.ts'
import type { CloudCEntry, CloudCPage } from './adapter/types.ts'
import { cloudC } from './adapter.ts'
import { NAME } from './name.ts'
import { entryOf } from './place.ts'
import { AddRings } from './projects/model.ts'
import { connectionNamed } from './reached.ts'
import { addRings } from './rings/add-rings.ts'
import { ringKind } from './rings/kind.ts'

const A_PAGE = 500
/** Ours: a project has some forty locations, each with a list of its own. */
const LOCATIONS_AT_ONCE = 5

const every = <Item>(
  read: (paging: { page_size: number; page_token: string | undefined }) => Promise<CloudCPage<Item>>,
): Promise<Item[]> =>
  everyItem(async (page_token) => {
    const { items, next_page_token: next } = await read({ page_size: A_PAGE, page_token })
    return { items, next }
  })

const entryBy = async (context: Context, connection: string): Promise<CloudCEntry> =>
  entryOf(context, await connectionNamed(context, connection))

async function ringsIn(
  context: Context,
  { connection, regions }: Search,
  project_id: string,
): Promise<readonly FoundContainer[]> {
  const entry = await entryBy(context, connection)
  const all = await every((paging) => cloudC.locations(entry, project_id, paging))
  const locations = all.filter((location) => regions?.includes(location) ?? true)
  const found = await atOnce(locations, LOCATIONS_AT_ONCE, async (region) => {
    const rings = await every((paging) => cloudC.rings(entry, project_id, region, paging))
    return rings.map(({ name }) => {
      const body = { connection, project_id, key_rings: [{ name }] }
      return { name, region, key: name, body }
    })
  })
  return found.flat()
}

/** Each project is a place. A project is added with its first ring. */
export const cloudCDiscovered: Discovered = discovery({
  service: NAME,
  kind: ringKind,
  find: { action: 'ReadCloudCKeyRings', may: 'keymgr-admins' },
  add: { action: 'AddCloudCKeyRings', may: 'keymgr-admins', summary: 'Add Cloud-c Key Rings' },
  body: AddRings,
  verb: addRings,
  places: async (context, { connection }) => {
    const entry = await entryBy(context, connection)
    return (await every((paging) => cloudC.projects(entry, paging))).map(({ project_id }) => project_id)
  },
  containersIn: ringsIn,
})
