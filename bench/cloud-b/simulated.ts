/** The simulated cloud-b, for `startSimulated`. */
import { startCloudB, type CloudBSimulator } from '../../infra/simulators/cloud-b/simulator.ts'
import { createClock } from '../../infra/local/clock.ts'
import { answerWishes, startSimulated, type SimulatedCloud } from '../simulated-cloud.ts'

/** A constant, so that a key seeded twice is the same. */
const MADE_AT = new Date('2026-01-01T00:00:00Z')

const wishes = (cloud: CloudBSimulator) => ({
  address: () => {
    const { endpoint, credentials } = cloud
    return { endpoint, credentials, subscription: cloud.subscriptions()[0]?.id }
  },
  seed: async (vault: string, count: number): Promise<void> => {
    await cloud.seedKeys(vault, count, (n) => ({ tags: { number: String(n) }, createdAt: MADE_AT }))
  },
  keysIn: (vault: string) => cloud.keysIn(vault),
  changeEvery: (vault: string, nth: number): number => {
    const some = cloud.keysIn(vault).filter((_, at) => at % nth === 0)
    for (const { name } of some) cloud.alterKey(vault, name, { nbf: 1_700_000_000 })
    return some.length
  },
})
type Wishes = ReturnType<typeof wishes>
export type SimulatedCloudB = SimulatedCloud<Wishes>

export const startSimulatedCloudB = (): Promise<SimulatedCloudB> => startSimulated<Wishes>(import.meta.filename)

if (import.meta.main) answerWishes(wishes(await startCloudB({ clock: createClock() })))
