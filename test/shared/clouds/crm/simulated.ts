import { afterAll, beforeAll, vi } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import { SHOP, startCrm, type CrmSimulator } from '../../../../infra/simulators/crm/simulator.ts'
import type { CrmConnection, CrmPlace } from '../../../../shared/clouds/crm/adapter/types.ts'

/** A simulated cloud for one test file, at which the adapter is configured. */
export interface SimulatedCrm {
  readonly cloud: CrmSimulator
  /** By password, of the user who may do everything. */
  readonly connection: () => CrmConnection
  /** By the key of the app's certificate. */
  readonly byCertificate: () => CrmConnection
  /** The shop, for a request with 20 seconds. */
  readonly place: (more?: Partial<CrmPlace>) => CrmPlace
}

/** Started before the file's tests and stopped after them. Call it once, outside any test. */
export function useCrmCloud(): SimulatedCrm {
  const clock = createClock()
  let started: CrmSimulator | undefined
  const cloud = (): CrmSimulator => {
    if (started === undefined) throw new Error('The simulated cloud has not started yet.')
    return started
  }
  const application = () => {
    const [{ username, clientId: client_id }] = cloud().credentials
    const options = { cloud_name: 'production', api_version: '60.0', wrap_hash: 'SHA512' } as const
    return { key: cloud().endpoint, username, client_id, ...options }
  }
  const connection = (): CrmConnection => {
    const [{ password, clientSecret: client_secret }] = cloud().credentials
    return { ...application(), credential: { client_secret, password } }
  }
  beforeAll(async () => {
    started = await startCrm({ clock })
    started.setIntervals('off')
    vi.stubEnv('CRM_ENDPOINT', started.endpoint)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await started?.stop()
  })
  return {
    get cloud() {
      return cloud()
    },
    connection,
    byCertificate: () => ({ ...application(), credential: { private_key: cloud().credentials[0].privateKey } }),
    place: (more) => ({
      ...{ domain: 'test', connection: connection(), budget: AbortSignal.timeout(20_000), patience: 'request' },
      organization: { id: 'shop', organization_id: SHOP, is_sandbox: false },
      now: clock.now(),
      ...more,
    }),
  }
}
