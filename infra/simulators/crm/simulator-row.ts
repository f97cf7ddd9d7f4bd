import type { SimulatorRow } from '../toolkit/simulator.ts'
import { startCrm, type CrmSimulator } from './simulator.ts'

/** A connection's fields, as the service expects them. */
const connectionOf = ({
  username,
  password,
  clientId,
  clientSecret,
  isSandbox,
}: CrmSimulator['credentials'][number]) => ({
  ...{ cloud_name: isSandbox ? 'sandbox' : 'production', client_id: clientId, client_secret: clientSecret },
  ...{ username, password },
})

export const crm: SimulatorRow<'crm', CrmSimulator> = {
  cloud: 'crm',
  member: 'crm',
  file: 'crm.jsonl',
  variable: 'CRM_ENDPOINT',
  start: async (setting) => {
    const simulator = await startCrm(setting)
    const { endpoint, credentials, organizations } = simulator
    return {
      simulator,
      describe: (domain) => ({
        endpoint,
        connections: credentials.map((each) => ({ login_host: endpoint, ...connectionOf(each) })),
        signing_keys: credentials.map(({ clientId: client_id, privateKey: private_key }) => ({
          client_id,
          private_key,
        })),
        organizations: organizations.map(({ id: organization_id, name }) => ({
          ...{ organization_id, name, instance_url: simulator.instanceOf(organization_id) },
          certificates: simulator.certificates(organization_id).map(({ id, developerName: name }) => ({ id, name })),
        })),
        // the deployment as a key service: named credentials have `https://`, this host and the path of an endpoint
        ...(domain !== undefined && { key_service_host: `crm.${domain}` }),
      }),
    }
  },
}
