import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, vi } from 'vitest'
import { createClock, type Clock } from '../../../../infra/local/clock.ts'
import { startCloudB } from '../../../../infra/simulators/cloud-b/simulator.ts'
import type { CloudBCredentials, CloudBSimulator } from '../../../../infra/simulators/cloud-b/simulator.ts'
import type { CloudBConnection, CloudBPlace } from '../../../../shared/clouds/cloud-b/adapter/types.ts'

export const VAULT = 'shop-premium'
export const POOL = 'shop-hsm'

export const urlOf = (vault: string): string =>
  `https://${vault}.${vault.endsWith('-hsm') ? 'managedhsm' : 'vault'}.azure.net`

/** A simulated cloud for one test file, with the adapter configured to call it, and access to its state. */
export interface SimulatedCloudB {
  readonly cloud: CloudBSimulator
  readonly clock: Clock
  /** A connection with the application that has all rights, or with another one. */
  readonly connection: (of?: CloudBCredentials) => CloudBConnection
  /** The place of a request with 20 seconds. */
  readonly place: (more?: Partial<CloudBPlace> & { vault?: string }) => CloudBPlace
  /** Uses a key over HTTP, like an application. @param path with the operation */
  readonly asUser: (vault: string, path: string, body: object) => Promise<Readonly<Record<string, string>>>
}

const credentialIn = ({ clientSecret, certificate }: CloudBCredentials): CloudBConnection['credential'] =>
  clientSecret === undefined
    ? { certificate: certificate ?? '', private_key: certificate?.replace(/^[^]*-----END CERTIFICATE-----/, '') ?? '' }
    : { client_secret: clientSecret }

/** Started before the file's tests and stopped after them. Call it once, outside of any test. */
export function useCloudB(): SimulatedCloudB {
  const clock = createClock()
  let started: CloudBSimulator | undefined
  const cloud = (): CloudBSimulator => {
    if (started === undefined) throw new Error('The simulated cloud has not started yet.')
    return started
  }
  beforeAll(async () => {
    started = await startCloudB({ clock })
    vi.stubEnv('CLOUD_B_ENDPOINT', started.endpoint)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await started?.stop()
  })
  const connection: SimulatedCloudB['connection'] = (of = cloud().credentials[0]) => {
    if (of === undefined) throw new Error('The simulated cloud knows no application.')
    return {
      key: of.clientId,
      cloud_name: 'cloud-b',
      tenant_id: of.tenantId,
      client_id: of.clientId,
      credential: credentialIn(of),
    }
  }
  const user = () =>
    cloud()
      .assignments()
      .find(({ role }) => role === 'Key Vault Crypto User')?.principal ?? ''
  return {
    get cloud() {
      return cloud()
    },
    clock,
    connection,
    place: ({ vault = VAULT, ...more } = {}) => ({
      connection: connection(),
      vault_url: urlOf(vault),
      now: clock.now(),
      budget: AbortSignal.timeout(20_000),
      patience: 'request',
      ...more,
    }),
    asUser: async (vault, path, body) => {
      const bearer = await cloud().bearerOf(user(), vault === POOL ? 'hsm' : 'vault')
      const answer = await fetch(`${cloud().endpoint}${path}?api-version=7.4`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer}`,
          'content-type': 'application/json',
          'x-forwarded-host': new URL(urlOf(vault)).host,
        },
        body: JSON.stringify(body),
      })
      const reply: any = await answer.json()
      if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(reply)}`)
      return reply
    },
  }
}

export const newName = (): string => `key-${randomUUID()}`
