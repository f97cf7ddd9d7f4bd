import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, vi } from 'vitest'
import { createClock, type Clock } from '../../../../infra/local/clock.ts'
import {
  SHOP_COMPARTMENTS,
  startCloudD,
  type CloudDCredentials,
  type CloudDSimulator,
} from '../../../../infra/simulators/cloud-d/simulator.ts'
import type { CloudDConnection, CloudDEntry, CloudDPlace } from '../../../../shared/clouds/cloud-d/adapter/types.ts'
import { cloudD } from '../../../../shared/clouds/cloud-d/adapter/verbs.ts'

export const REGION = 'eu-frankfurt-1'
export const { orders: ORDERS } = SHOP_COMPARTMENTS

/** A simulated cloud for one test file, at which the adapter is configured, with its connections and places. */
export interface SimulatedCloudD {
  readonly cloud: CloudDSimulator
  readonly clock: Clock
  /** Of the user who may manage everything, or of another user. */
  readonly connection: (credentials?: CloudDCredentials) => CloudDConnection
  /** For a request with 20 seconds. */
  readonly entry: (more?: Partial<CloudDEntry>) => CloudDEntry
  /** The vault `orders`. */
  readonly place: (more?: Partial<CloudDPlace>) => CloudDPlace
}

/** Started before the file's tests and stopped after them. Call it once, outside any test. */
export function useCloudD(): SimulatedCloudD {
  const clock = createClock()
  let started: CloudDSimulator | undefined
  let vault: CloudDPlace['vault'] | undefined
  const running = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('The simulated cloud has not started yet.')
    return value
  }
  const connection: SimulatedCloudD['connection'] = (credentials = running(started).credentials[0]) => ({
    tenancy_id: credentials.tenancyId,
    cloud_user_id: credentials.userId,
    fingerprint: credentials.fingerprint,
    region: credentials.region,
    key_file: credentials.privateKey,
  })
  const entry: SimulatedCloudD['entry'] = (more) => ({
    connection: connection(),
    budget: AbortSignal.timeout(20_000),
    patience: 'request',
    ...more,
  })
  beforeAll(async () => {
    started = await startCloudD({ clock })
    started.setDelays({ transitMs: 20 })
    vi.stubEnv('CLOUD_D_ENDPOINT', started.endpoint)
    const id = started.vaults().find(({ displayName }) => displayName === 'orders')?.id ?? ''
    const found = await cloudD.vault(entry(), REGION, id)
    vault = found && { ...found, region: REGION }
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await started?.stop()
  })
  return {
    get cloud() {
      return running(started)
    },
    clock,
    connection,
    entry,
    place: (more) => ({ ...entry(), vault: running(vault), now: clock.now(), ...more }),
  }
}

export const newName = (): string => `key-${randomUUID()}`
