import { afterAll, beforeAll, beforeEach } from 'vitest'
import { startDeployment } from '../../../infra/local/deployment.ts'
import { startFaultProxy, type FaultProxy } from '../../../infra/local/fault-proxy.ts'
import { startTable, type Table } from '../../../infra/local/table.ts'
import { BUNDLES } from '../../support/build.ts'
import { ADMIN_PASSWORD, Service, type Answered } from '../../support/service.ts'

/** Local keys of a service whose table is reached through a proxy that can be told to fail. */
export interface BehindFaults {
  readonly service: Service
  readonly proxy: FaultProxy
  /** the administrator's */
  readonly token: string
  readonly create: (name: string, headers?: Record<string, string>) => Promise<Answered>
  /** how many keys there are */
  readonly total: () => Promise<number>
}

/** A service of the file's own, stopped at its end; no fault outlives its test. */
export function useFaults(): () => BehindFaults {
  let table: Table
  let proxy: FaultProxy
  let made: BehindFaults
  beforeAll(async () => {
    table = await startTable({})
    proxy = await startFaultProxy(table.endpoint)
    const service = new Service(
      await startDeployment({
        bundles: BUNDLES,
        inMemory: true,
        adminPassword: ADMIN_PASSWORD,
        tableEndpoint: proxy.endpoint,
        environment: { KEYMGR_CHECK_ANSWERS: 'true', KEYMGR_CALLS_PER_SECOND: '100000' },
      }),
    )
    const token = await service.logIn()
    made = {
      service,
      proxy,
      token,
      create: (name, headers = {}) => service.call('POST', '/v1/vault/keys2', { token, body: { name }, headers }),
      total: async () => (await service.call('GET', '/v1/vault/keys2?limit=1', { token })).body.total as number,
    }
  })
  afterAll(async () => {
    await made.service.deployment.stop()
    await proxy.stop()
    await table.stop()
  })
  beforeEach(() => proxy.reset())
  return () => made
}
