import type { SimulatorRow } from '../toolkit/simulator.ts'
import { startCloudA, type CloudASimulator } from './simulator.ts'

/** An account with its two kinds of credentials: an access key, and a certificate if a role accepts one. */
const account = (
  { id, cloud_name, credentials, roles }: CloudASimulator['accounts'][number],
  { anywhereIdentityOf }: CloudASimulator,
) => ({
  id,
  cloud_name,
  access_key_id: credentials.accessKeyId,
  secret_access_key: credentials.secretAccessKey,
  ...(roles.some(({ anywhere }) => anywhere) && { role_anywhere: anywhereIdentityOf(id) }),
})

export const cloudA: SimulatorRow<'cloudA', CloudASimulator> = {
  cloud: 'cloud-a',
  member: 'cloudA',
  file: 'cloud-a.jsonl',
  variable: 'CLOUD_A_ENDPOINT',
  environment: { KEYMGR_XKS_TRUST_ANCHORS: '' }, // trust no client certificate: this front door does not verify chains
  start: async (setting) => {
    const simulator = await startCloudA(setting)
    const { serviceRole } = simulator
    return {
      simulator,
      environment: {
        KEYMGR_XKS_TRUST_ANCHORS: simulator.proxyClientAuthority,
        ...(serviceRole && { KEYMGR_RUNTIME_ROLE: serviceRole.arn }),
        ...(serviceRole?.externalId && { KEYMGR_RUNTIME_ROLE_EXTERNAL_ID: serviceRole.externalId }),
      },
      describe: (domain) => ({
        endpoint: simulator.endpoint,
        accounts: simulator.accounts.map((one) => account(one, simulator)),
        // the deployment as an external key store: `https://` and this host
        ...(domain !== undefined && { proxy_host: `xks.${domain}` }),
      }),
    }
  },
}
