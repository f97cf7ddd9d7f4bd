import { atOnce } from '../../at-once.ts'
import { Refusal, type Reason } from '../../errors.ts'
import { errorFields, log } from '../../log.ts'
import { Changes, Stale } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import {
  synchronizationJobs,
  synchronizationParts,
  type StoredSynchronizationPart,
} from '../../store/synchronization.ts'
import { later, MINUTE_MS, type Sweep } from '../../time.ts'
import { synchronizedCloud } from './clouds.ts'
import { noteAlive } from './flow.ts'
import type { AnySynchronized, OpenPlace } from './synchronized.ts'

/** What the flow does with a part next. */
export type Turn = { readonly next: 'read' | 'done' } | { readonly next: 'wait'; readonly wait_seconds: number }

const DONE: Turn = { next: 'done' }
const MORE: Turn = { next: 'read' }

const KEYS_A_PAGE = 100
/** Ours: keys read side by side in one place, each with a few calls; more is throttled sooner, not read faster. */
const KEYS_AT_ONCE = 5
/** Ours: how far a stop sets it back: a place is on record every so many keys, not after every page. */
const KEYS_BETWEEN_NOTES = 5_000
/** As many as one transaction changes, each with its rows and places. */
const WRITES_TOGETHER = 15
/** Of all parts together: keeps an execution's history below the platform's limit; the next execution goes on. */
const TURNS_AN_EXECUTION = 2_000
/** A function has five minutes. */
const HOLD_MS = 6 * MINUTE_MS
const TURN_BUDGET_MS = 270_000
const HELD_WAIT_SECONDS = 60
/** Ours: seconds until a cloud that did not answer is asked again, and how often in a row before its place fails. */
const TROUBLE_WAIT_SECONDS = 20
const TROUBLES_MOST = 30

const PASSING: ReadonlySet<Reason> = new Set<Reason>([
  'CLOUD_THROTTLED',
  'CLOUD_UNAVAILABLE',
  'CLOUD_TIMEOUT',
  'UNAVAILABLE',
])

/** Keys that became what they are now; others had them first, which is as good. @returns those written */
async function writeTogether<I>(
  items: readonly I[],
  now: Date,
  stage: (changes: Changes, item: I) => void,
): Promise<number> {
  const commit = async (some: readonly I[]): Promise<number> => {
    const changes = new Changes()
    for (const item of some) stage(changes, item)
    try {
      await changes.commit(now)
      return some.length
    } catch (error) {
      if (!(error instanceof Stale)) throw error
      if (some.length === 1) return 0
      let written = 0
      for (const item of some) written += await commit([item])
      return written
    }
  }
  let written = 0
  for (let at = 0; at < items.length; at += WRITES_TOGETHER)
    written += await commit(items.slice(at, at + WRITES_TOGETHER))
  return written
}

/** One place being read, and how far it has come since it was last noted. */
class Reading {
  readonly #domain: string
  readonly #now: Date
  readonly #cloud: AnySynchronized
  readonly #place: OpenPlace<unknown, unknown>
  #stored: Stored<StoredSynchronizationPart>
  #part: StoredSynchronizationPart
  #keysSinceNote = 0

  constructor(
    domain: string,
    now: Date,
    cloud: AnySynchronized,
    place: OpenPlace<unknown, unknown>,
    stored: Stored<StoredSynchronizationPart>,
  ) {
    this.#domain = domain
    this.#now = now
    this.#cloud = cloud
    this.#place = place
    this.#stored = stored
    this.#part = stored.item
  }

  get isDone(): boolean {
    return this.#part.phase === 'done'
  }

  get #family(): string {
    return this.#cloud.family(this.#part.container, this.#part.region)
  }

  /** One page of the phase it is in. @param mayGoOn whether there is time for more of it */
  async page(mayGoOn: () => boolean): Promise<void> {
    if (this.#part.phase === 'known') await this.#known()
    else await this.#listing(mayGoOn)
    if (this.#keysSinceNote >= KEYS_BETWEEN_NOTES) await this.note()
  }

  /** Writes down how far it has come. @throws Stale when somebody else goes on with the part */
  async note(change: Partial<StoredSynchronizationPart> = {}): Promise<void> {
    const part = { ...this.#part, ...change }
    if (JSON.stringify(part) === JSON.stringify(this.#stored.item)) return
    const changes = new Changes()
    changes.update(synchronizationParts, this.#domain, this.#stored, part)
    await changes.commit(this.#now)
    this.#stored = { item: part, rev: this.#stored.rev + 1 }
    this.#part = part
    this.#keysSinceNote = 0
  }

  /** Keys on record, read again. */
  async #known(): Promise<void> {
    const { entity } = this.#cloud
    const members = await entity.membersAfter(this.#domain, this.#family, this.#part.cursor, KEYS_A_PAGE)
    const records: Stored<unknown>[] = await entity.getMany(
      this.#domain,
      members.map(({ id }) => id),
    )
    const fresh = await atOnce(records, KEYS_AT_ONCE, async (before) => {
      const read = await this.#place.survey.read(this.#cloud.refOf(before.item))
      return { before, after: this.#place.refreshed(before.item, read, this.#now) }
    })
    const changed = fresh.filter(({ before, after }) => after !== before.item)
    await writeTogether(changed, this.#now, (changes, { before, after }) =>
      changes.update(entity, this.#domain, before, after),
    )
    const wentAway = changed.filter(({ after }) => this.#cloud.isGone(after)).length
    const last = members.at(-1)?.key
    const isEnd = members.length < KEYS_A_PAGE
    this.#moveOn(isEnd ? { phase: 'listing', cursor: undefined } : { cursor: last }, {
      gone: wentAway,
      updated: changed.length - wentAway,
      keys: members.length,
    })
  }

  /** Keys the cloud lists and nobody has recorded. */
  async #listing(mayGoOn: () => boolean): Promise<void> {
    const { entity } = this.#cloud
    const { refs, next } = await this.#refs()
    const known = await entity.membersBy(this.#domain, this.#family, refs)
    const unknown = refs.filter((ref) => !known.has(ref))
    let added = 0
    for (let at = 0; at < unknown.length; at += KEYS_A_PAGE) {
      if (at > 0 && !mayGoOn()) return this.#moveOn({}, { added, keys: at }) // the same page again, most of it known
      const found = await atOnce(unknown.slice(at, at + KEYS_A_PAGE), KEYS_AT_ONCE, async (ref) => {
        const read = await this.#place.survey.read(ref)
        return read === undefined ? undefined : this.#place.found(read, this.#now)
      })
      const records = found.filter((record) => record !== undefined)
      added += await writeTogether(records, this.#now, (changes, record) =>
        changes.create(entity, this.#domain, record),
      )
    }
    this.#moveOn(next === undefined ? { phase: 'done', cursor: undefined } : { cursor: next }, {
      added,
      keys: refs.length,
    })
  }

  /** A cursor the cloud no longer knows begins its list anew. */
  async #refs(): ReturnType<OpenPlace<unknown, unknown>['refs']> {
    const { cursor } = this.#part
    try {
      return await this.#place.refs(cursor)
    } catch (error) {
      if (cursor === undefined || !(error instanceof Refusal) || error.reason !== 'CLOUD_INVALID') throw error
      return this.#place.refs(undefined)
    }
  }

  #moveOn(
    to: { phase?: StoredSynchronizationPart['phase']; cursor?: string | undefined },
    { added = 0, updated = 0, gone = 0, keys }: { added?: number; updated?: number; gone?: number; keys: number },
  ): void {
    const { cursor: _, ...part } = this.#part
    const cursor = 'cursor' in to ? to.cursor : this.#part.cursor
    this.#part = {
      ...part,
      ...(to.phase && { phase: to.phase }),
      ...(cursor !== undefined && { cursor }),
      added: part.added + added,
      updated: part.updated + updated,
      gone: part.gone + gone,
    }
    this.#keysSinceNote += keys
  }
}

const isOpen = ({ phase }: StoredSynchronizationPart): boolean => phase === 'known' || phase === 'listing'

/** A part in the hands of this turn. @throws Stale when another was faster */
async function take(
  domain: string,
  { item, rev }: Stored<StoredSynchronizationPart>,
  generation: number,
  now: Date,
): Promise<Stored<StoredSynchronizationPart>> {
  const turns = item.generation === generation ? item.turns + 1 : 1
  const taken = { ...item, generation, turns, heldUntil: later(now, HOLD_MS).toISOString() }
  const changes = new Changes()
  changes.update(synchronizationParts, domain, { item, rev }, taken)
  await changes.commit(now)
  return { item: taken, rev: rev + 1 }
}

/** Whether the job was told to end. */
async function isAborted(domain: string, job: string): Promise<boolean> {
  const stored = await synchronizationJobs.get(domain, job)
  return stored === undefined || stored.item.abort || stored.item.overall_status !== 'in_progress'
}

/**
 * Reads on in one part while there is time. May be stopped anywhere, and called twice at a time: only one of the calls
 * reads.
 */
export async function readPart(
  domain: string,
  { job, part, generation }: { readonly job: string; readonly part: string; readonly generation: number },
  { now, mayGoOn }: Sweep,
): Promise<Turn> {
  const found = await synchronizationParts.get(domain, part)
  if (found === undefined || !isOpen(found.item)) return DONE
  const ofJob = await synchronizationJobs.get(domain, job)
  if (ofJob?.item.overall_status !== 'in_progress') return DONE
  const turnsMost = Math.max(1, Math.floor(TURNS_AN_EXECUTION / ofJob.item.places.length))
  if (found.item.generation === generation && found.item.turns >= turnsMost) return DONE
  if (Date.parse(found.item.heldUntil) > now.getTime()) return { next: 'wait', wait_seconds: HELD_WAIT_SECONDS }
  await noteAlive(domain, ofJob, now)
  const stored = await take(domain, found, generation, now)
  const heldUntil = now.toISOString() // let go
  if (ofJob.item.abort) return end(domain, stored, now, { phase: 'aborted' })
  const cloud = synchronizedCloud(ofJob.item.cloud_name)
  let reading: Reading | undefined
  try {
    const { container, region } = stored.item
    const place = await cloud.open(domain, container, region, {
      now,
      budget: AbortSignal.timeout(TURN_BUDGET_MS),
    })
    reading = new Reading(domain, now, cloud, place, stored)
    while (!reading.isDone && mayGoOn() && !(await isAborted(domain, job))) await reading.page(mayGoOn)
    if (!reading.isDone && (await isAborted(domain, job))) await reading.note({ heldUntil, phase: 'aborted' })
    else await reading.note({ heldUntil, troubles: 0 })
    return reading.isDone ? DONE : MORE
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return troubled(error, reading, domain, stored, now)
  }
}

/** Ends a part that was not even begun in this turn. */
async function end(
  domain: string,
  stored: Stored<StoredSynchronizationPart>,
  now: Date,
  change: Partial<StoredSynchronizationPart>,
): Promise<Turn> {
  const changes = new Changes()
  changes.update(synchronizationParts, domain, stored, { ...stored.item, ...change, heldUntil: now.toISOString() })
  await changes.commit(now)
  return DONE
}

/** Trouble of the cloud that may pass is waited out; any other refusal is what becomes of the part. */
async function troubled(
  refusal: Refusal,
  reading: Reading | undefined,
  domain: string,
  stored: Stored<StoredSynchronizationPart>,
  now: Date,
): Promise<Turn> {
  const troubles = stored.item.troubles + 1
  const passing = PASSING.has(refusal.reason) && troubles < TROUBLES_MOST
  log(passing ? 'info' : 'warn', 'a place was not read to its end', { part: stored.item.id, ...errorFields(refusal) })
  const change: Partial<StoredSynchronizationPart> = passing
    ? { heldUntil: now.toISOString(), troubles }
    : { heldUntil: now.toISOString(), phase: 'failed', message: refusal.message }
  if (reading) await reading.note(change)
  else await end(domain, stored, now, change)
  return passing ? { next: 'wait', wait_seconds: TROUBLE_WAIT_SECONDS } : DONE
}

/** A part whose turns kept failing for no reason that anybody was told. */
export async function failPart(domain: string, part: string, now: Date): Promise<void> {
  const stored = await synchronizationParts.get(domain, part)
  if (stored && isOpen(stored.item))
    await end(domain, stored, now, { phase: 'failed', message: 'A fault on our side; see the log.' })
}
