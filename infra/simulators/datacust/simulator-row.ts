import type { SimulatorRow } from '../toolkit/simulator.ts'
import { startDatacust, type DatacustSimulator } from './simulator.ts'

/** Id of the certificate that the demo's key stores use. */
const CERTIFICATE = 'shop-1'

export const datacust: SimulatorRow<'datacust', DatacustSimulator> = {
  cloud: 'datacust',
  member: 'datacust',
  file: 'datacust.jsonl',
  variable: 'DATACUST_ENDPOINT',
  start: async (setting) => {
    const simulator = await startDatacust(setting)
    const { endpoint, apiEndpoint, tenants } = simulator
    return {
      simulator,
      describe: (domain) => ({
        endpoint,
        api_endpoint: apiEndpoint,
        // a technical user can be given to one connection only, which activates it
        connections: simulator
          .credentials()
          .filter(({ isActivated }) => !isActivated)
          .map(({ apiKey: api_key, secret }) => ({
            api_endpoint: apiEndpoint,
            technical_user_credentials: { api_key, secret },
          })),
        people: tenants.flatMap(({ name: tenant, people }) =>
          people.map(({ username: user, password: secret }) => ({ tenant, user, secret })),
        ),
        tenants: tenants.map(({ id: tenant_id, name, groups }) => ({
          ...{ tenant_id, name, certificate: simulator.certificateOf(tenant_id, CERTIFICATE).leaf },
          groups: groups.map(({ id, name: group, provider }) => ({ id, name: group, provider })),
        })),
        client_authorities: simulator.authorityChain,
        // the deployment as a customer-held key store
        ...(domain !== undefined && { key_store_host: `hyok.${domain}` }),
      }),
    }
  },
}
