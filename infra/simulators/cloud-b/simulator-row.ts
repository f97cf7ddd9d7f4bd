import type { SimulatorRow } from '../toolkit/simulator.ts'
import { startCloudB, type CloudBSimulator } from './simulator.ts'

/** Credentials for tools that try the cloud: those of the first application, and of one with a certificate. */
function credentialsOf({ credentials }: CloudBSimulator): object {
  const [first] = credentials
  const other = credentials.find(({ certificate }) => certificate !== undefined)
  return {
    tenant_id: first?.tenantId,
    client_id: first?.clientId,
    client_secret: first?.clientSecret,
    certificate_client_id: other?.clientId,
    certificate: other?.certificate,
  }
}

export const cloudB: SimulatorRow<'cloudB', CloudBSimulator> = {
  cloud: 'cloud-b',
  member: 'cloudB',
  file: 'cloud-b.jsonl',
  variable: 'CLOUD_B_ENDPOINT',
  start: async (setting) => {
    const simulator = await startCloudB(setting)
    const { endpoint } = simulator
    return {
      simulator,
      describe: () => ({
        endpoint,
        ...credentialsOf(simulator),
        subscription_id: simulator.subscriptions()[0]?.id,
        vaults: { standard: 'shop-standard', premium: 'shop-premium', managed_hsm: 'shop-hsm' },
        log_workspace_id: simulator.workspaces()[0]?.id,
      }),
    }
  },
}
