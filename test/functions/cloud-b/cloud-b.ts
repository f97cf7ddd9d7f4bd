import { beforeAll } from 'vitest'
import type { CloudBSimulator } from '../../../infra/simulators/cloud-b/simulator.ts'
import type { DeploymentOptions } from '../../../infra/local/deployment.ts'
import { useVault, type Vault } from '../vault/vault.ts'

export { refused } from '../../support/refused.ts'

export const CLOUD_B = '/v1/keymgr/cloud-b'
export const VAULTS = `${CLOUD_B}/vaults`
export const CONNECTIONS = '/v1/connectionmgmt/services/cloud-b/connections'

/** Initial subscription and vault of every file. */
export const SUBSCRIPTION = '54700002-0000-4000-8000-000000000001'
export const VAULT = 'shop-premium'

/** A deployment with a simulated cloud, and the initial vault of every file. */
export interface CloudBTests extends Vault {
  readonly cloud: CloudBSimulator
  /** the record of `VAULT` */
  readonly vault: any
  readonly addVaults: (...names: string[]) => Promise<any[]>
}

/** The body of a connection with the simulator's first application, which has all rights. */
export const connectionBody = ({ credentials: [first] }: CloudBSimulator, name: string, more: object = {}): object => ({
  name,
  tenant_id: first?.tenantId,
  client_id: first?.clientId,
  client_secret: first?.clientSecret,
  ...more,
})

/** For the tests of one file: everything goes over HTTP, and no state is written behind the service's back. */
export function useCloudB(options?: Partial<DeploymentOptions>): () => CloudBTests {
  const started = useVault(options)
  let tests: CloudBTests | undefined
  beforeAll(async () => {
    const { admin, service } = started()
    const cloud = service.deployment.cloudB
    await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'main'))
    const addVaults = async (...names: string[]): Promise<any[]> => {
      const vaults = names.map((name) => ({ name }))
      const body = { connection: 'main', subscription_id: SUBSCRIPTION, vaults }
      return (await admin.ok('POST', `${CLOUD_B}/add-vaults`, body)).vaults
    }
    const [vault] = await addVaults(VAULT)
    tests = { ...started(), cloud, vault, addVaults }
  })
  return () => {
    if (tests === undefined) throw new Error('The cloud is there once the tests begin')
    return tests
  }
}
