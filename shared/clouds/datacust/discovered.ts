import { discovery } from '../../cloud/containers/discovery.ts'
import type { Discovered } from '../../work/schedule/discovery/discovered.ts'
import { datacust } from './adapter.ts'
import { addGroups } from './groups/groups.ts'
import { groupKind } from './groups/kind.ts'
import { AddGroups } from './groups/model.ts'
import { NAME } from './name.ts'
import { connectionNamed, entryOf } from './place.ts'

/** A connection reaches the groups of one tenant, in one list. */
const TENANT = 'tenant'

export const datacustDiscovered: Discovered = discovery({
  service: NAME,
  kind: groupKind,
  find: { action: 'ReadDatacustGroups', may: 'keymgr-admins' },
  add: { action: 'AddDatacustGroups', may: 'keymgr-admins', summary: 'Add Datacust Groups' },
  body: AddGroups,
  verb: addGroups,
  places: () => Promise.resolve([TENANT]),
  containersIn: async (context, { connection }) => {
    const found = await datacust.groups(await entryOf(context, await connectionNamed(context, connection)))
    return found.map(({ name, group_id }) => ({ name, key: group_id, body: { connection, group_id: [group_id] } }))
  },
})
