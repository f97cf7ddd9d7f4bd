import type { SimulatorRow } from '../toolkit/simulator.ts'
import { startCloudD, type CloudDSimulator } from './simulator.ts'

/** A connection's fields, as the service expects them. */
const connectionOf = ({
  tenancyId,
  userId,
  fingerprint,
  region,
  privateKey,
}: CloudDSimulator['credentials'][number]) => ({
  tenancy_id: tenancyId,
  cloud_user_id: userId,
  fingerprint,
  region,
  credentials: { key_file: privateKey },
})

export const cloudD: SimulatorRow<'cloudD', CloudDSimulator> = {
  cloud: 'cloud-d',
  member: 'cloudD',
  file: 'cloud-d.jsonl',
  variable: 'CLOUD_D_ENDPOINT',
  start: async (setting) => {
    const simulator = await startCloudD(setting)
    const { endpoint, credentials } = simulator
    return {
      simulator,
      describe: (domain) => ({
        endpoint,
        connections: credentials.map(connectionOf),
        domains: simulator.domains.map(({ url, tenancy: { name, applications } }) => ({
          tenancy: name,
          openid_config_url: `${url}/.well-known/openid-configuration`,
          clients: applications.map(({ clientId: client_id, clientSecret: client_secret }) => ({
            client_id,
            client_secret,
          })),
        })),
        // the deployment as an external key manager: `https://` and this host
        ...(domain !== undefined && { key_manager_host: `ekm.${domain}` }),
        private_endpoints: simulator.tenancies.flatMap(({ privateEndpoints }) => privateEndpoints),
        vaults: simulator.vaults().map(({ id, displayName: name, region, compartmentId: compartment_id }) => ({
          ...{ id, name, region, compartment_id },
        })),
      }),
    }
  },
}
