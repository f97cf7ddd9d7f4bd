import { startDeployment, type DeploymentOptions } from '../../infra/local/deployment.ts'
import { startFaultProxy, type FaultProxy } from '../../infra/local/table/fault-proxy.ts'
import { startTable } from '../../infra/local/table/table.ts'
import { BUNDLES } from './build.ts'
import { ADMIN_PASSWORD, Service } from './service.ts'

export interface BehindProxy {
  readonly service: Service
  /** between the service and its table; it can inject faults */
  readonly proxy: FaultProxy
  readonly stop: () => Promise<void>
}

/** A separate service whose table is reached through a proxy. */
export async function startBehindProxy(options: Partial<DeploymentOptions> = {}): Promise<BehindProxy> {
  const table = await startTable({})
  const proxy = await startFaultProxy(table.endpoint)
  const deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: ADMIN_PASSWORD,
    tableEndpoint: proxy.endpoint,
    ...options,
    environment: { KEYMGR_CHECK_ANSWERS: 'true', KEYMGR_CALLS_PER_SECOND: '100000', ...options.environment },
  })
  return {
    service: new Service(deployment),
    proxy,
    stop: async () => {
      await deployment.stop()
      await proxy.stop()
      await table.stop()
    },
  }
}
