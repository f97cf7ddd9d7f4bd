/** The simulated cloud-a, for `startSimulated`. */
import { startCloudA, type CloudASimulator } from '../../infra/simulators/cloud-a/simulator.ts'
import { createClock } from '../../infra/local/clock.ts'
import { answerWishes, startSimulated, type SimulatedCloud } from '../simulated-cloud.ts'

/** A constant, so that a key seeded twice is the same. */
const MADE_AT = new Date('2026-01-01T00:00:00Z')
const TRAIL_KEYS = 100

const wishes = (cloud: CloudASimulator) => {
  const [account] = cloud.accounts
  if (account === undefined) throw new Error('The simulated cloud has no account')
  return {
    address: () => ({ endpoint: cloud.endpoint, account }),
    seed: (region: string, count: number): void => {
      const describe = (n: number) => ({
        description: `key ${n}`,
        aliases: [`alias/bench-${n}`],
        tags: { number: String(n) },
        createdAt: MADE_AT,
      })
      cloud.seed({ account: account.id, region, count, describe })
    },
    /** In the order in which the cloud lists them. */
    keysIn: (region: string) => cloud.keysIn(account.id, region),
    changeEvery: (region: string, nth: number): number => {
      const some = cloud.keysIn(account.id, region).filter((_, at) => at % nth === 0)
      for (const { id } of some) cloud.alter(account.id, region, id, { description: 'altered' })
      return some.length
    },
    /** Entries of a region's trail, one per second from a time on, for about a hundred keys in turn. */
    seedTrail: (region: string, count: number, from: Date): void => {
      const describe = (n: number) => ({
        at: new Date(from.getTime() + n * 1_000),
        operation: 'Decrypt',
        keyId: `00000000-0000-4000-8000-${String(n % TRAIL_KEYS).padStart(12, '0')}`,
        user: 'application',
      })
      cloud.seedTrail({ account: account.id, region, count, describe })
    },
  }
}
type Wishes = ReturnType<typeof wishes>
export type SimulatedCloudA = SimulatedCloud<Wishes>

export const startSimulatedCloudA = (): Promise<SimulatedCloudA> => startSimulated<Wishes>(import.meta.filename)

if (import.meta.main) answerWishes(wishes(await startCloudA({ clock: createClock() })))
