import * as z from 'zod'
import { CloudDConnection } from '../../../../shared/clouds/cloud-d/connections/model.ts'
import { CloudDKey } from '../../../../shared/clouds/cloud-d/keys/model.ts'
import { CloudDVault } from '../../../../shared/clouds/cloud-d/vaults/model.ts'
import { CloudDVersion } from '../../../../shared/clouds/cloud-d/versions/model.ts'
import { remove } from '../demo.ts'
import type { CloudStory, Demo } from '../demo.ts'
import { assertTold } from '../failure.ts'

const CLOUD_D = '/v1/keymgr/cloud-d'
const CONNECTIONS = '/v1/connectionmgmt/services/cloud-d/connections'

const Endpoints = z.object({
  connections: z.array(z.looseObject({ tenancy_id: z.string() })).min(1),
  vaults: z
    .array(z.object({ id: z.string(), name: z.string(), region: z.string(), compartment_id: z.string() }))
    .min(1),
})

/** A vault of the cloud with a key of ours, and the key's next version. */
export const cloudDStory = (demo: Demo): CloudStory => ({
  work: async (local) => {
    const { narrator, passSeconds } = demo
    // Ours: on a running service, another domain may already manage the vault, and only one domain can
    if (passSeconds === undefined)
      return narrator.note("Cloud-d is shown on a service of the demo's own, where no other domain has its vaults.")
    const vault = await addVault(demo)
    await uploadAndRotate(demo, vault, local)
  },
  audited: [],
})

async function addVault({ narrator, service, undo, endpoints, name: run }: Demo): Promise<CloudDVault> {
  const { connections, vaults } = Endpoints.parse(endpoints())
  const [wanted] = vaults
  const name = `${run}-d`
  narrator.step('Cloud-d: connect with an API key, and add a vault')
  await service.call('POST', CONNECTIONS, {
    body: { name, ...connections[0] },
    answers: CloudDConnection,
    shows: ({ id, service: kind }) => ({ id, service: kind }),
  })
  undo.push(() => remove({ service }, `${CONNECTIONS}/${name}`))
  const added = await service.call('POST', `${CLOUD_D}/add-vaults`, {
    body: { connection: name, region: wanted?.region, vault_id: [wanted?.id] },
    answers: z.object({ vaults: z.tuple([CloudDVault]) }),
    shows: ({ vaults: [{ display_name, vault_type }] }) => ({ display_name, vault_type }),
  })
  const [vault] = added.vaults
  undo.push(() => remove({ service }, `${CLOUD_D}/vaults/${vault.id}`))
  return vault
}

async function uploadAndRotate(
  { narrator, service, undo, name }: Demo,
  { id: vault, compartment_id }: CloudDVault,
  local: { readonly id: string },
): Promise<void> {
  narrator.step("Cloud-d: upload the local key under the vault's wrapping key, and rotate it by a version of the cloud")
  const key = await service.call('POST', `${CLOUD_D}/upload-key`, {
    body: { vault, compartment_id, name, source_key_identifier: local.id, protection_mode: 'SOFTWARE' },
    answers: CloudDKey,
    shows: ({ id, key_material_origin, cloud_d_params }) => ({
      ...{ id, key_material_origin, lifecycle_state: cloud_d_params.lifecycle_state },
    }),
  })
  undo.push(() =>
    service.call('POST', `${CLOUD_D}/keys/${key.id}/schedule-deletion`, {
      body: {},
      answers: CloudDKey,
      shows: ({ cloud_d_params: { lifecycle_state } }) => ({ lifecycle_state }),
    }),
  )
  const version = await service.call('POST', `${CLOUD_D}/keys/${key.id}/versions`, {
    body: { is_native: true },
    answers: CloudDVersion,
    shows: ({ version_id, is_current, lifecycle_state }) => ({ version_id, is_current, lifecycle_state }),
  })
  assertTold(version.is_current, 'the new version is what encrypts from now on')
}
