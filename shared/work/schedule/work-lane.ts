import { setTimeout as pause } from 'node:timers/promises'
import { DONE, LEASE_MS as HOLD_MS, MORE, type Turn } from '../engine/state.ts'
const HELD: Turn = { next: 'wait', wait_seconds: 60 }
const turnsEach = (items: number): number => Math.max(1, Math.floor(2_000 / items))
import { Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import {
  isOver,
  jobLanes,
  jobs,
  openIn,
  subJobs,
  type StoredJob,
  type StoredLane,
  type StoredSubJob,
} from './run-store.ts'
import { later, type Sweep } from '../../base/time.ts'
import { PieceInHand } from './do-piece.ts'
import { noteAlive } from './resume-run.ts'

/** Ours: until what was begun, or had no room, is looked at again. */
const LOOK_AGAIN_SECONDS = 10
/** Pieces that are worked on side by side where the quotas leave room. */
const AT_ONCE = 8
const PAGE = 100
/** Ours: a piece that takes a lane longer than this is waited out by the flow, which costs nothing meanwhile. */
const WAITED_OUT_SECONDS = 1

/** Which lane of which run, and by which of its executions. */
export interface OfLane {
  readonly domain: string
  readonly job: string
  readonly lane: string
  readonly generation: number
}

/** A lane in the hands of this turn; `undefined` while another has it. @throws Stale when another was faster */
async function take({ domain, job, lane, generation }: OfLane, now: Date): Promise<Stored<StoredLane> | undefined> {
  const id = `${job} ${lane}`
  const before = await jobLanes.get(domain, id)
  if (before !== undefined && Date.parse(before.item.heldUntil) > now.getTime()) return undefined
  const turns = before?.item.generation === generation ? before.item.turns + 1 : 1
  const item: StoredLane = { id, generation, turns, heldUntil: later(now, HOLD_MS).toISOString() }
  const changes = new Changes()
  if (before === undefined) changes.create(jobLanes, domain, item)
  else changes.update(jobLanes, domain, before, item)
  await changes.commit(now)
  return { item, rev: (before?.rev ?? 0) + 1 }
}

async function letGo(domain: string, lane: Stored<StoredLane>, now: Date): Promise<void> {
  const changes = new Changes()
  changes.update(jobLanes, domain, lane, { ...lane.item, heldUntil: now.toISOString() })
  await changes.commit(now)
}

/** Open pieces of a lane, a page at a time. */
async function* openPieces({ domain, job, lane }: OfLane): AsyncGenerator<Stored<StoredSubJob>> {
  let after: string | undefined
  do {
    const members = await subJobs.membersAfter(domain, openIn(job, lane), after, PAGE)
    yield* await subJobs.getMany(
      domain,
      members.map(({ id }) => id),
    )
    after = members.length < PAGE ? undefined : members.at(-1)?.key
  } while (after !== undefined)
}

/** How a pass over a lane's open pieces ended. */
interface Passed {
  /** when the lane may be taken up again, in seconds; none when nothing holds it up */
  readonly waitSeconds?: number
  readonly left: boolean
}

/** Starts pieces no closer together than the quotas allow, some of them side by side. */
class Pace {
  readonly #running = new Set<Promise<void>>()
  readonly #failures: unknown[] = []
  #freeAt = performance.now()

  /** Whether one of the pieces threw: no more are begun then. */
  get hasFailed(): boolean {
    return this.#failures.length > 0
  }

  /** Begins when there is room. */
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

  /** When all that was begun has ended. @throws what the first piece threw that did */
  async end(): Promise<void> {
    await Promise.all(this.#running)
    if (this.hasFailed) throw this.#failures[0]
  }

  /** Seconds until the next piece may begin. */
  get holdsUpSeconds(): number {
    return Math.max(0, (this.#freeAt - performance.now()) / 1_000)
  }
}

async function isAborted(domain: string, id: string): Promise<boolean> {
  const stored = await jobs.get(domain, id)
  return stored === undefined || stored.item.abort || isOver(stored.item)
}

/** Goes through what is open once, as far as the time and the quotas let it. */
async function pass(of: OfLane, job: StoredJob, { now, hasTime }: Sweep): Promise<Passed> {
  const pace = new Pace()
  const from = performance.now()
  // A turn may take minutes: what is begun late in it is held from then on, and not from the turn's beginning.
  const nowThen = (): Date => later(now, performance.now() - from)
  const again: number[] = []
  let isCutShort = false
  let sinceLook = 0
  for await (const stored of openPieces(of)) {
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
      const isOverNow = await new PieceInHand(job, stored, nowThen()).goOn()
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

/** Leaves everything that is open alone. */
async function leaveAll(of: OfLane, job: StoredJob, { now, hasTime }: Sweep): Promise<Turn> {
  for await (const stored of openPieces(of)) {
    if (!hasTime()) return MORE
    await new PieceInHand(job, stored, now).leave()
  }
  return DONE
}

/**
 * Works on in one lane while there is time. May be stopped anywhere, and called twice at a time: only one of the calls
 * works.
 */
export async function workLane(of: OfLane, sweep: Sweep): Promise<Turn> {
  const { domain, generation } = of
  const { now } = sweep
  const stored = await jobs.get(domain, of.job)
  if (stored === undefined || isOver(stored.item)) return DONE
  const { item: job } = await noteAlive(domain, stored, now)
  const lane = await take(of, now)
  if (lane === undefined) return HELD
  try {
    if (job.abort) return await leaveAll(of, job, sweep)
    if (lane.item.generation === generation && lane.item.turns > turnsEach(job.lanes.length)) return DONE
    const { left, waitSeconds } = await pass(of, job, sweep)
    if (!left) return DONE
    return waitSeconds === undefined ? MORE : { next: 'wait', wait_seconds: waitSeconds }
  } finally {
    await letGo(domain, lane, now)
  }
}
