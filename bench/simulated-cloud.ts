/** The simulated cloud-a in a process of its own, as a real cloud would be. */
import { fork } from 'node:child_process'
import { startCloudA, type SimulatedAccount, type SimulatedKeyView } from '../infra/simulators/cloud-a/simulator.ts'
import { createClock } from '../infra/local/clock.ts'
import { answerParent, apart } from './apart.ts'

export interface SimulatedCloud {
  readonly endpoint: string
  readonly account: SimulatedAccount
  /** Keys 0 to `count` of a region, each with an alias, a tag and a description; those that are there stay the same. */
  readonly seed: (region: string, count: number) => Promise<void>
  /** In the order in which the cloud lists them. */
  readonly keysIn: (region: string) => Promise<readonly SimulatedKeyView[]>
  /** Entries of a region's trail, one a second from a time on, about a hundred keys in turn. */
  readonly seedTrail: (region: string, count: number, from: Date) => Promise<void>
  /** Changes descriptions at the cloud, without the service. */
  readonly describeAnew: (region: string, keyIds: readonly string[]) => Promise<void>
  readonly stop: () => Promise<void>
}

type Wish =
  | { readonly wish: 'address' }
  | { readonly wish: 'seed'; readonly region: string; readonly count: number }
  | { readonly wish: 'seed-trail'; readonly region: string; readonly count: number; readonly from: Date }
  | { readonly wish: 'keys-in'; readonly region: string }
  | { readonly wish: 'describe-anew'; readonly region: string; readonly keyIds: readonly string[] }

/** Seeded twice, a key is the same. */
const TRAIL_KEYS = 100
const MADE_AT = new Date('2026-01-01T00:00:00Z')

export async function startSimulatedCloud(): Promise<SimulatedCloud> {
  const child = fork(import.meta.filename, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], serialization: 'advanced' })
  const { ask, stop } = apart(child)
  const wish = (wanted: Wish): Promise<unknown> => ask(wanted)
  const address = (await wish({ wish: 'address' })) as Pick<SimulatedCloud, 'endpoint' | 'account'>
  return {
    ...address,
    seed: async (region, count) => {
      await wish({ wish: 'seed', region, count })
    },
    seedTrail: async (region, count, from) => {
      await wish({ wish: 'seed-trail', region, count, from })
    },
    keysIn: async (region) => (await wish({ wish: 'keys-in', region })) as readonly SimulatedKeyView[],
    describeAnew: async (region, keyIds) => {
      await wish({ wish: 'describe-anew', region, keyIds })
    },
    stop,
  }
}

async function answerWishes(): Promise<void> {
  const cloud = await startCloudA({ clock: createClock() })
  const [account] = cloud.accounts
  if (account === undefined) throw new Error('The simulated cloud has no account')
  const grant = (wanted: Wish): unknown => {
    if (wanted.wish === 'address') return { endpoint: cloud.endpoint, account }
    const { region } = wanted
    if (wanted.wish === 'keys-in') return cloud.keysIn(account.id, region)
    if (wanted.wish === 'seed') {
      const describe = (n: number) => ({
        description: `key ${n}`,
        aliases: [`alias/bench-${n}`],
        tags: { number: String(n) },
        createdAt: MADE_AT,
      })
      cloud.seed({ account: account.id, region, count: wanted.count, describe })
      return undefined
    }
    if (wanted.wish === 'seed-trail') {
      const { from, count } = wanted
      const describe = (n: number) => ({
        at: new Date(from.getTime() + n * 1_000),
        operation: 'Decrypt',
        keyId: `00000000-0000-4000-8000-${String(n % TRAIL_KEYS).padStart(12, '0')}`,
        user: 'application',
      })
      cloud.seedTrail({ account: account.id, region, count, describe })
      return undefined
    }
    for (const id of wanted.keyIds) cloud.alter(account.id, region, id, { description: 'altered' })
    return undefined
  }
  answerParent((question) => new Promise((resolve) => resolve(grant(question as Wish))))
}

if (import.meta.main) await answerWishes()
