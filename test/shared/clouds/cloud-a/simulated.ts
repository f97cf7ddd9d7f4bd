import { randomUUID } from 'node:crypto'
import { KMSClient } from '@aws-sdk/client-kms'
import { afterAll, beforeAll, vi } from 'vitest'
import { startCloudA } from '../../../../infra/simulators/cloud-a/simulator.ts'
import type { CloudASimulator, SimulatedAccount } from '../../../../infra/simulators/cloud-a/simulator.ts'
import { createClock, type Clock } from '../../../../infra/local/clock.ts'
import type { CloudAConnection, CloudAPlace } from '../../../../shared/clouds/cloud-a/adapter/types.ts'
import type { CloudAName } from '../../../../shared/clouds/cloud-a/keys/model.ts'

export const REGION = 'eu-central-1'

/** A simulated cloud for one test file, with the adapter configured to call it, and access to its state. */
export interface SimulatedCloudA {
  readonly cloud: CloudASimulator
  readonly clock: Clock
  readonly accountOf: (id: string) => SimulatedAccount
  /** A connection with an account's own user. @param more fields that replace the usual ones */
  readonly connection: (account?: SimulatedAccount, more?: Partial<CloudAConnection>) => CloudAConnection
  /** The place of a request with 20 seconds. */
  readonly place: (more?: Partial<CloudAPlace>) => CloudAPlace
  /** The official client, with an account's own user. */
  readonly kms: (account?: SimulatedAccount, region?: string) => KMSClient
}

/** Started before the file's tests and stopped after them. Call it once, outside of any test. */
export function useCloudA(): SimulatedCloudA {
  const clock = createClock()
  let started: CloudASimulator | undefined
  const cloud = (): CloudASimulator => {
    if (started === undefined) throw new Error('The simulated cloud has not started yet.')
    return started
  }
  beforeAll(async () => {
    started = await startCloudA({ clock })
    vi.stubEnv('CLOUD_A_ENDPOINT', started.endpoint)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await started?.stop()
  })
  const accountOf = (id: string): SimulatedAccount => {
    const account = cloud().accounts.find((one) => one.id === id)
    if (account === undefined) throw new Error(`There is no account ${id}.`)
    return account
  }
  const first = () => firstOf(cloud(), 'cloud-a')
  const connection: SimulatedCloudA['connection'] = (account = first(), more) => ({
    key: account.id,
    cloud_name: account.cloud_name,
    access_key_id: account.credentials.accessKeyId,
    secret_access_key: account.credentials.secretAccessKey,
    ...more,
  })
  return {
    get cloud() {
      return cloud()
    },
    clock,
    accountOf,
    connection,
    place: (more) => ({
      connection: connection(),
      account: first().id,
      region: REGION,
      now: clock.now(),
      budget: AbortSignal.timeout(20_000),
      patience: 'request',
      ...more,
    }),
    kms: (account = first(), region = REGION) =>
      new KMSClient({ endpoint: cloud().endpoint, region, credentials: account.credentials }),
  }
}

/** The first account of an edition. */
export function firstOf({ accounts }: Pick<CloudASimulator, 'accounts'>, name: CloudAName): SimulatedAccount {
  const account = accounts.find(({ cloud_name }) => cloud_name === name)
  if (account === undefined) throw new Error(`There is no account of ${name}.`)
  return account
}

export const newAlias = (): string => `alias-${randomUUID()}`
