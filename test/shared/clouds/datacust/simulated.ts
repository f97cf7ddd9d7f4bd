import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, vi } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import { startDatacust, type DatacustSimulator } from '../../../../infra/simulators/datacust/simulator.ts'
import { datacust } from '../../../../shared/clouds/datacust/adapter/verbs.ts'
import type { DatacustConnection, DatacustPlace } from '../../../../shared/clouds/datacust/adapter/types.ts'

/** A simulated cloud for one test file, at which the adapter is configured. */
export interface SimulatedDatacust {
  readonly cloud: DatacustSimulator
  /** Of a person of the tenant `shop`, who sees all of its groups. */
  readonly connection: () => DatacustConnection
  /** A group, for a request with 20 seconds. */
  readonly place: (name?: 'finance' | 'outpost', budget?: AbortSignal) => DatacustPlace
}

/** Started before the file's tests and stopped after them. Call it once, outside any test. */
export function useSimulatedDatacust(): SimulatedDatacust {
  let started: DatacustSimulator | undefined
  const groups = new Map<string, DatacustPlace['group']>()
  const running = (): DatacustSimulator => {
    if (started === undefined) throw new Error('The simulated cloud has not started yet.')
    return started
  }
  const connection: SimulatedDatacust['connection'] = () => {
    const [tenant] = running().tenants
    const [person] = tenant?.people ?? []
    if (tenant === undefined || person === undefined) throw new Error('The tenant has no people.')
    const standard = { tenant: tenant.name, user: person.username, secret: person.password }
    return { api_endpoint: running().apiEndpoint, standard }
  }
  const limits = (budget = AbortSignal.timeout(20_000)) => ({ budget, patience: 'request' as const })
  beforeAll(async () => {
    started = await startDatacust({ clock: createClock() })
    vi.stubEnv('DATACUST_ENDPOINT', started.endpoint)
    for (const group of await datacust.groups({ connection: connection(), ...limits() })) groups.set(group.name, group)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await started?.stop()
  })
  return {
    get cloud() {
      return running()
    },
    connection,
    place: (name = 'finance', budget) => {
      const group = groups.get(name)
      if (group === undefined) throw new Error(`The cloud has no group ${name}.`)
      return { connection: connection(), group, ...limits(budget) }
    },
  }
}

export const newName = (): string => `key-${randomUUID()}`
