import { setTimeout as pause } from 'node:timers/promises'
import { atOnce } from '../../base/at-once.ts'
import { inBatches } from '../../base/batches.ts'
import { errorFields, log } from '../../base/log.ts'
import { loadedOf, type Load } from '../../base/room.ts'
import { later, type Sweep } from '../../base/time.ts'
import { PUBLISH } from '../../http/audit/store.ts'
import { dueBeside, dueItems, workOff, type DueItem } from '../../store/due.ts'
import { appendWaiting, BATCH, type Appended } from './append.ts'
import { catchUp } from './publish.ts'
import { publishAgain, REFUSED_EVENT } from './refused-events.ts'
import { GROWN } from './store.ts'

declare module '../../base/room.ts' {
  interface RoomRow {
    /** Called before waiting records are published: measures the backlog. */
    readonly beforeDrain?: Load<(now: Date) => Promise<void>>
  }
}

const DOMAINS_AT_ONCE = 8

const sumOf = (parts: readonly Appended[]): Appended => ({
  appended: parts.reduce((sum, { appended }) => sum + appended, 0),
  published: parts.reduce((sum, { published }) => sum + published, 0),
})

/** Appends some records of a domain. After a failure they stay due, and other domains are not delayed. */
async function appendSome(domain: string, items: readonly DueItem[], { now, hasTime }: Sweep): Promise<Appended> {
  const done: Appended[] = []
  try {
    for (const some of inBatches(items, { items: BATCH.items, bytes: Infinity }, () => 0)) {
      if (!hasTime()) break
      const ids = some.map(({ id }) => id)
      done.push(await appendWaiting(domain, ids, now))
    }
  } catch (error) {
    log('error', 'audit records not appended', { domain, count: items.length, ...errorFields(error) })
  }
  return sumOf(done)
}

/** Domains with so many records that other domains in their partition may not be found. */
const crowdingIn = (due: readonly DueItem[]): string[] =>
  [...Map.groupBy(due, ({ domain }) => domain)]
    .filter(([, { length }]) => length >= BATCH.items / 2)
    .map(([domain]) => domain)

/**
 * Empties the outbox: appends waiting records to the logs of their domains, and puts missing records on the bus.
 * Domains are processed in parallel, some records of each in turn.
 */
export async function drainOutbox(sweep: Sweep): Promise<Appended> {
  const done: Appended[] = []
  for await (const due of dueItems(PUBLISH, sweep, BATCH.items)) {
    const crowding = crowdingIn(due)
    const beside = crowding.length === 0 ? [] : await dueBeside(PUBLISH, sweep, crowding, BATCH.items)
    const domains = [...Map.groupBy([...beside, ...due], ({ domain }) => domain)]
    done.push(...(await atOnce(domains, DOMAINS_AT_ONCE, ([domain, items]) => appendSome(domain, items, sweep))))
  }
  for await (const logs of dueItems(GROWN, sweep)) {
    const counts = await atOnce(logs, DOMAINS_AT_ONCE, ({ domain }) => catchUp(domain, sweep))
    done.push(...counts.map((published) => ({ appended: 0, published })))
  }
  await workOff({ ...REFUSED_EVENT, work: publishAgain }, sweep)
  return sumOf(done)
}

/** Ours: maximum time for which records wait while many arrive. */
const PAUSE_MS = 10_000

/**
 * Empties the outbox repeatedly, as long as it was not empty, for some seconds. A schedule starts at most once a
 * minute: with continuous records, none waits that long.
 */
export async function drainFor(seconds: number, sweep: Sweep): Promise<Appended> {
  const from = performance.now()
  const elapsedMs = (): number => performance.now() - from
  let done: Appended = { appended: 0, published: 0 }
  for (;;) {
    const now = later(sweep.now, elapsedMs())
    const some = await drainOutbox({ ...sweep, now })
    done = sumOf([done, some])
    if (some.appended === 0 || elapsedMs() + PAUSE_MS > seconds * 1_000) return done
    await pause(PAUSE_MS)
  }
}

/** The same, after every room has measured the backlog. */
export async function measuredDrain(sweep: Sweep, seconds: number): Promise<Appended> {
  for (const measure of await loadedOf('beforeDrain')) await measure(sweep.now)
  return drainFor(seconds, sweep)
}
