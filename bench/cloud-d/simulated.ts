/** The simulated cloud-d, for `startSimulated`. */
import { createClock } from '../../infra/local/clock.ts'
import { startCloudD, type CloudDSimulator } from '../../infra/simulators/cloud-d/simulator.ts'
import { vaultNamed } from '../../test/infra/simulators/cloud-d/clients.ts'
import { answerWishes, startSimulated, type SimulatedCloud } from '../simulated-cloud.ts'

/** A constant, so that a key seeded twice is the same. */
const MADE_AT = new Date('2026-01-01T00:00:00Z')

const wishes = (cloud: CloudDSimulator) => ({
  address: () => {
    const { endpoint, credentials } = cloud
    return { endpoint, credentials, vaults: cloud.vaults() }
  },
  seed: (vault: string, count: number): void => {
    cloud.seed(vaultNamed(cloud, vault).id, count, (n) => ({
      freeformTags: { number: String(n) },
      createdAt: MADE_AT,
    }))
  },
  keysIn: (vault: string) => cloud.keysIn(vaultNamed(cloud, vault).id),
  changeEvery: (vault: string, nth: number): number => {
    const some = cloud.keysIn(vaultNamed(cloud, vault).id).filter((_, at) => at % nth === 0)
    for (const { id } of some) cloud.alter(id, { freeformTags: { changed: 'yes' } })
    return some.length
  },
})
type Wishes = ReturnType<typeof wishes>
export type SimulatedCloudD = SimulatedCloud<Wishes>

/** The limits of calls per second are off: with them, a figure would measure the limits. */
export const startSimulatedCloudD = (): Promise<SimulatedCloudD> => startSimulated<Wishes>(import.meta.filename)

if (import.meta.main) answerWishes(wishes(await startCloudD({ clock: createClock() })))
