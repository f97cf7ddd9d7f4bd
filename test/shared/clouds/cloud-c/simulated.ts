import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, vi } from 'vitest'
import { startCloudC } from '../../../../infra/simulators/cloud-c/simulator.ts'
import type { CloudCSimulator, KeyFile } from '../../../../infra/simulators/cloud-c/simulator.ts'
import { createClock, type Clock } from '../../../../infra/local/clock.ts'
import type { CloudCConnection, CloudCPlace } from '../../../../shared/clouds/cloud-c/adapter/types.ts'

export const RING = 'projects/shop-keys/locations/europe-west3/keyRings/orders'

/** A simulated cloud for one test file, with the adapter configured to call it, and access to its state. */
export interface SimulatedCloudC {
  readonly cloud: CloudCSimulator
  readonly clock: Clock
  /** A connection with the account that may manage everything, or with another one. */
  readonly connection: (file?: KeyFile) => CloudCConnection
  /** The place of a request with 20 seconds. */
  readonly place: (more?: Partial<CloudCPlace>) => CloudCPlace
  /** Uses a key over HTTP, like an application. @param path with the operation; `GET` without a body */
  readonly asUser: (path: string, body?: object) => Promise<Readonly<Record<string, string>>>
}

/** Started before the file's tests and stopped after them. Call it once, outside of any test. */
export function useCloudC(): SimulatedCloudC {
  const clock = createClock()
  let started: CloudCSimulator | undefined
  const cloud = (): CloudCSimulator => {
    if (started === undefined) throw new Error('The simulated cloud has not started yet.')
    return started
  }
  beforeAll(async () => {
    started = await startCloudC({ clock })
    vi.stubEnv('CLOUD_C_ENDPOINT', started.endpoint)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await started?.stop()
  })
  const connection: SimulatedCloudC['connection'] = (file = cloud().keyFiles[0]) => ({
    key: file.client_email,
    key_file: JSON.stringify(file),
  })
  return {
    get cloud() {
      return cloud()
    },
    clock,
    connection,
    place: (more) => ({
      connection: connection(),
      ring: RING,
      now: clock.now(),
      budget: AbortSignal.timeout(20_000),
      patience: 'request',
      ...more,
    }),
    asUser: async (path, body) => {
      const answer = await fetch(`${cloud().endpoint}/v1/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${cloud().bearerOf('user:alice@shop.example')}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const reply: any = await answer.json()
      if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(reply)}`)
      return reply
    },
  }
}

export const newName = (): string => `key-${randomUUID()}`
