import * as z from 'zod'
import { CrmConnection } from '../../../../shared/clouds/crm/connections/model.ts'
import { CrmSecret } from '../../../../shared/clouds/crm/keys/model.ts'
import { CrmOrganization } from '../../../../shared/clouds/crm/organizations/model.ts'
import { remove } from '../demo.ts'
import type { CloudStory, Demo } from '../demo.ts'
import { assertTold } from '../failure.ts'

const CRM = '/v1/keymgr/crm'
const CONNECTIONS = '/v1/connectionmgmt/services/crm/connections'

const Endpoints = z.object({ connections: z.array(z.looseObject({ username: z.string() })).min(1) })

/** An organization of the platform, with a tenant secret that the platform generates. */
export const crmStory = (demo: Demo): CloudStory => ({
  work: async () => {
    const { narrator, passSeconds } = demo
    // Ours: on a running service, another domain may already manage the organization, and only one domain can
    if (passSeconds === undefined)
      return narrator.note("Crm is shown on a service of the demo's own, where no other domain has its organization.")
    await createSecret(demo, await addOrganization(demo))
  },
  audited: [],
})

async function addOrganization({ narrator, service, undo, endpoints, name: run }: Demo): Promise<CrmOrganization> {
  const { connections } = Endpoints.parse(endpoints())
  const connection = `${run}-crm`
  narrator.step('Crm: connect as a user of the platform, and add the organization')
  await service.call('POST', CONNECTIONS, {
    body: { name: connection, ...connections[0] },
    answers: CrmConnection,
    shows: ({ id, service: kind }) => ({ id, service: kind }),
  })
  undo.push(() => remove({ service }, `${CONNECTIONS}/${connection}`))
  const organization = await service.call('POST', `${CRM}/add-organizations`, {
    body: { connection },
    answers: CrmOrganization,
    shows: ({ id, name }) => ({ id, name }),
  })
  undo.push(() => remove({ service }, `${CRM}/organizations/${organization.id}`))
  return organization
}

async function createSecret({ narrator, service }: Demo, { id: organization_id }: CrmOrganization): Promise<void> {
  narrator.step('Crm: let the platform generate a tenant secret, which its data is encrypted under from now on')
  const secret = await service.call('POST', `${CRM}/keys`, {
    body: { organization_id, type: 'Data' },
    answers: CrmSecret,
    shows: ({ id, crm_param: { type, status, source } }) => ({ id, type, status, source }),
  })
  assertTold(secret.crm_param.status === 'ACTIVE', 'the secret is active')
}
