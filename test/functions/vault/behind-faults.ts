import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { FaultProxy } from '../../../infra/local/table/fault-proxy.ts'
import { startBehindProxy, type BehindProxy } from '../../support/behind-proxy.ts'
import type { Answered, Service } from '../../support/service.ts'

/** A service with local keys whose table is reached through a fault-injecting proxy. */
export interface BehindFaults {
  readonly service: Service
  readonly proxy: FaultProxy
  /** the administrator's token */
  readonly token: string
  readonly create: (name: string, headers?: Record<string, string>) => Promise<Answered>
  /** the number of keys */
  readonly total: () => Promise<number>
}

/** A service for one test file. Faults end with their test. */
export function useFaults(): () => BehindFaults {
  let started: BehindProxy
  let made: BehindFaults
  beforeAll(async () => {
    started = await startBehindProxy()
    const { service, proxy } = started
    const token = await service.logIn()
    made = {
      service,
      proxy,
      token,
      create: (name, headers = {}) => service.call('POST', '/v1/vault/keys2', { token, body: { name }, headers }),
      total: async () => (await service.call('GET', '/v1/vault/keys2?limit=1', { token })).body.total as number,
    }
  })
  afterAll(() => started.stop())
  beforeEach(() => started.proxy.reset())
  return () => made
}
