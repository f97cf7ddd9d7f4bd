import { discovery } from '../../cloud/containers/discovery.ts'
import type { Discovered } from '../../work/schedule/discovery/discovered.ts'
import { crm } from './adapter.ts'
import { NAME } from './name.ts'
import { organizationKind } from './organizations/kind.ts'
import { AddOrganization } from './organizations/model.ts'
import { addOrganization } from './organizations/organizations.ts'
import { connectionNamed, entryOf } from './place.ts'

/** A connection reaches one organization. */
const ORGANIZATION = 'organization'

export const crmDiscovered: Discovered = discovery({
  service: NAME,
  kind: organizationKind,
  find: { action: 'ReadCrmOrganizations', may: 'keymgr-admins' },
  add: { action: 'AddCrmOrganization', may: 'keymgr-admins', summary: 'Add Crm Organization' },
  body: AddOrganization,
  verb: addOrganization,
  places: () => Promise.resolve([ORGANIZATION]),
  containersIn: async (context, { connection }) => {
    const entry = await entryOf(context, await connectionNamed(context, connection))
    const { name, organization_id } = await crm.organization(entry)
    return [{ name, key: organization_id, body: { connection, organization_id } }]
  },
})
