import { setTimeout as pause } from 'node:timers/promises'
import { later, type Sweep } from '../../../base/time.ts'
import type { Stored } from '../../../store/entity.ts'
import { DONE, MORE, type Next, type Turn } from '../../engine/turn.ts'
import { isOver, jobs, openIn, subJobs, type StoredJob, type StoredQuotaGroup, type StoredSubJob } from './store.ts'
import { OpenSubJob } from './open-sub-job.ts'

/** Ours: time until a sub-job that was begun, or postponed, is checked again. */
const LOOK_AGAIN_SECONDS = 10
/** Sub-jobs that run in parallel where the quotas leave room. */
const AT_ONCE = 8
const PAGE = 100
/** Ours: for a longer wait between two sub-jobs the turn ends and the flow waits, which costs nothing. */
const WAITED_OUT_SECONDS = 1

/** Names a quota group of a run. */
interface OfQuotaGroup {
  readonly domain: string
  readonly job: string
  readonly quotaGroup: string
}

/** Open sub-jobs of a quota group, a page at a time. */
async function* openSubJobs({ domain, job, quotaGroup }: OfQuotaGroup): AsyncGenerator<Stored<StoredSubJob>> {
  let after: string | undefined
  do {
    const members = await subJobs.membersAfter(domain, openIn(job, quotaGroup), after, PAGE)
    yield* await subJobs.getMany(
      domain,
      members.map(({ id }) => id),
      'leave out',
    )
    after = members.length < PAGE ? undefined : members.at(-1)?.key
  } while (after !== undefined)
}

/** How a pass over a quota group's open sub-jobs ended. */
interface Passed {
  /** seconds until the next turn at the quota group; absent when there is no reason to wait */
  readonly waitSeconds?: number
  readonly left: boolean
}

/** Starts sub-jobs as far apart as the quotas require, several in parallel. */
class Pace {
  readonly #running = new Set<Promise<void>>()
  readonly #failures: unknown[] = []
  #freeAt = performance.now()

  /** Whether a sub-job threw; no further ones begin then. */
  get hasFailed(): boolean {
    return this.#failures.length > 0
  }

  /** Begins a sub-job when a slot is free. */
  async begin(seconds: number, work: () => Promise<void>): Promise<void> {
    while (this.#running.size >= AT_ONCE) await Promise.race(this.#running)
    const waitMs = this.#freeAt - performance.now()
    if (waitMs > 0) await pause(waitMs)
    this.#freeAt = performance.now() + seconds * 1_000
    const running = work()
      .catch((error: unknown) => void this.#failures.push(error))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Waits for all started sub-jobs. @throws the first failure */
  async end(): Promise<void> {
    await Promise.all(this.#running)
    if (this.hasFailed) throw this.#failures[0]
  }

  /** Seconds until the next one may begin. */
  get holdsUpSeconds(): number {
    return Math.max(0, (this.#freeAt - performance.now()) / 1_000)
  }
}

async function isAborted(domain: string, id: string): Promise<boolean> {
  const stored = await jobs.get(domain, id)
  return stored === undefined || stored.item.abort || isOver(stored.item)
}

/** One pass over the open sub-jobs, within the time and the quotas. */
async function pass(of: OfQuotaGroup, job: StoredJob, { now, hasTime }: Sweep): Promise<Passed> {
  const pace = new Pace()
  const from = performance.now()
  // A turn may take minutes: a lease taken late in the turn counts from its own start, not from the turn's.
  const nowThen = (): Date => later(now, performance.now() - from)
  const again: number[] = []
  let isCutShort = false
  let sinceLook = 0
  for await (const stored of openSubJobs(of)) {
    const { seconds, status, tryAt } = stored.item
    const restSeconds = tryAt === undefined ? 0 : Math.ceil((Date.parse(tryAt) - nowThen().getTime()) / 1_000)
    if (restSeconds > 0) {
      again.push(restSeconds)
      continue
    }
    if (!hasTime() || pace.hasFailed || (++sinceLook % AT_ONCE === 0 && (await isAborted(of.domain, of.job)))) {
      isCutShort = true
      break
    }
    const isLook = status === 'in_progress'
    await pace.begin(isLook ? 0 : seconds, async () => {
      const isOverNow = await new OpenSubJob(job, stored, nowThen()).work()
      if (!isOverNow) again.push(LOOK_AGAIN_SECONDS)
    })
    if (!isLook && seconds > WAITED_OUT_SECONDS) {
      isCutShort = true
      break
    }
  }
  await pace.end()
  const held = Math.ceil(pace.holdsUpSeconds)
  if (isCutShort) return { left: true, ...(held > 0 && { waitSeconds: held }) }
  return again.length === 0 ? { left: false } : { left: true, waitSeconds: Math.max(held, Math.min(...again)) }
}

/** The quota group of a turn. */
const quotaGroupOf = ({ domain, job, lease }: Turn<StoredJob, StoredQuotaGroup>): OfQuotaGroup => ({
  domain,
  job: job.id,
  quotaGroup: lease.item.id.slice(job.id.length + 1),
})

/** Skips every open sub-job. */
export async function leaveAll(turn: Turn<StoredJob, StoredQuotaGroup>): Promise<Next> {
  const { now, hasTime } = turn.sweep
  for await (const stored of openSubJobs(quotaGroupOf(turn))) {
    if (!hasTime()) return MORE
    await new OpenSubJob(turn.job, stored, now).leave()
  }
  return DONE
}

/** Each step is one pass over the open sub-jobs of a quota group. */
export const openQuotaGroup = (turn: Turn<StoredJob, StoredQuotaGroup>): Promise<() => Promise<Next>> =>
  Promise.resolve(async () => {
    const { left, waitSeconds } = await pass(quotaGroupOf(turn), turn.job, turn.sweep)
    if (!left) return DONE
    return waitSeconds === undefined ? MORE : { next: 'wait', wait_seconds: waitSeconds }
  })
