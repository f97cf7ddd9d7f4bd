import * as z from 'zod'
import { DatacustConnection } from '../../../../shared/clouds/datacust/connections/model.ts'
import { DatacustGroup } from '../../../../shared/clouds/datacust/groups/model.ts'
import { DatacustKey } from '../../../../shared/clouds/datacust/keys/model.ts'
import { DatacustVersion } from '../../../../shared/clouds/datacust/versions/model.ts'
import { remove } from '../demo.ts'
import type { CloudStory, Demo } from '../demo.ts'
import { assertTold } from '../failure.ts'

const DATACUST = '/v1/keymgr/datacust'
const CONNECTIONS = '/v1/connectionmgmt/services/datacust/connections'

const Endpoints = z.object({
  connections: z.array(z.looseObject({ api_endpoint: z.string() })).min(1),
  tenants: z.array(z.object({ groups: z.array(z.object({ id: z.string(), name: z.string() })).min(1) })).min(1),
})

/** A group of the platform with a key of ours, and the key's next version. */
export const datacustStory = (demo: Demo): CloudStory => ({
  work: async (local) => {
    const { narrator, passSeconds } = demo
    // Ours: on a running service, another domain may already manage the group, and only one domain can
    if (passSeconds === undefined)
      return narrator.note("Datacust is shown on a service of the demo's own, where no other domain has its groups.")
    const group = await addGroup(demo)
    await uploadAndRotate(demo, group, local)
  },
  audited: [],
})

async function addGroup({ narrator, service, undo, endpoints, name: run }: Demo): Promise<DatacustGroup> {
  const { connections, tenants } = Endpoints.parse(endpoints())
  const connection = `${run}-datacust`
  narrator.step('Datacust: connect as a technical user, and add a group of keys')
  await service.call('POST', CONNECTIONS, {
    body: { name: connection, ...connections[0] },
    answers: DatacustConnection,
    shows: ({ id, service: kind }) => ({ id, service: kind }),
  })
  undo.push(() => remove({ service }, `${CONNECTIONS}/${connection}`))
  const added = await service.call('POST', `${DATACUST}/add-groups`, {
    body: { connection, group_id: [tenants[0]?.groups[0]?.id] },
    answers: z.object({ groups: z.tuple([DatacustGroup]) }),
    shows: ({ groups: [{ id, name }] }) => ({ id, name }),
  })
  const [group] = added.groups
  undo.push(() => remove({ service }, `${DATACUST}/groups/${group.id}`))
  return group
}

async function uploadAndRotate(
  { narrator, service, name }: Demo,
  { id: group }: DatacustGroup,
  local: { readonly id: string },
): Promise<void> {
  narrator.step('Datacust: upload the local key, and rotate it by a version that the platform makes')
  const key = await service.call('POST', `${DATACUST}/upload-key`, {
    body: { group, name, type: 'AES', operations: ['ENCRYPT', 'DECRYPT'], source_key_identifier: local.id },
    answers: DatacustKey,
    shows: ({ id, status, version_count }) => ({ id, status, version_count }),
  })
  await service.call('POST', `${DATACUST}/keys/${key.id}/versions`, {
    body: { is_native: true },
    answers: DatacustVersion,
    shows: ({ id, key_material_origin }) => ({ id, key_material_origin }),
  })
  const after = await service.call('GET', `${DATACUST}/keys/${key.id}`, {
    answers: DatacustKey,
    shows: ({ status, version_count }) => ({ status, version_count }),
  })
  assertTold(after.version_count === 2, 'the key has two versions')
}
