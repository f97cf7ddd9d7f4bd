import * as path from 'node:path'
import { SIMULATORS, type Simulators } from '../simulators/all.ts'
import { endpointsKey, titleOf } from '../simulators/toolkit/simulator.ts'
import type { SimulatorRow, Simulator, SimulatorSetting } from '../simulators/toolkit/simulator.ts'
import { given } from '../simulators/toolkit/given.ts'

export interface StartedSimulators {
  /** A getter for each row. It throws when the user has set another address for that cloud. */
  readonly members: Simulators
  /** Address of each cloud, simulated or not, by its name. */
  readonly cloudEndpoints: Readonly<Record<string, string>>
  readonly environment: Readonly<Record<string, string>>
  /** Members of `endpoints.json`, of the simulated clouds only. @param domain as in `StartedSimulator.describe` */
  readonly endpoints: (domain: string | undefined) => Readonly<Record<string, object>>
}

/**
 * Starts a simulator for each cloud without an address.
 * @param named addresses of clouds that the user has set
 * @param undo receives one step for each simulator, as soon as it runs
 */
export async function startSimulators(
  { dataDir, ...setting }: Omit<SimulatorSetting, 'file'> & { readonly dataDir: string | undefined },
  named: Readonly<Record<string, string>>,
  undo: (() => unknown)[],
): Promise<StartedSimulators> {
  const members = {}
  const cloudEndpoints: Record<string, string> = { ...named }
  const environment: Record<string, string> = {}
  const described = new Map<string, (domain: string | undefined) => object>()
  const rows: readonly SimulatorRow<string, Simulator>[] = SIMULATORS
  for (const row of rows) {
    const endpoint = named[row.cloud]
    const file = dataDir === undefined ? undefined : path.join(dataDir, row.file)
    const started = endpoint === undefined ? await row.start({ ...setting, ...given('file', file) }) : undefined
    if (started !== undefined) {
      undo.push(started.simulator.stop)
      cloudEndpoints[row.cloud] = started.simulator.endpoint
      described.set(endpointsKey(row), started.describe)
    }
    Object.assign(environment, row.environment, { [row.variable]: cloudEndpoints[row.cloud] }, started?.environment)
    const get = () => {
      if (started !== undefined) return started.simulator
      throw new Error(`${titleOf(row)} is not simulated here, it is at ${String(endpoint)}.`)
    }
    Object.defineProperty(members, row.member, { get, enumerable: true })
  }
  return {
    members: members as Simulators, // the loop defined one member for each row
    cloudEndpoints,
    environment,
    endpoints: (domain) => Object.fromEntries([...described].map(([key, describe]) => [key, describe(domain)])),
  }
}
