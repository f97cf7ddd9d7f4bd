import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { FaultProxy } from '../../../infra/local/fault-proxy.ts'
import { startBehindProxy, type BehindProxy } from '../../support/behind-proxy.ts'
import type { Answered, Service } from '../../support/service.ts'

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
