import { uuid } from '../../base/ids.ts'
import { Changes, commitUnlessDone, Stale } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import {
  partsOfJob,
  sourceOf,
  synchronizationJobs,
  synchronizationParts,
  type StoredSynchronizationJob,
  type StoredSynchronizationPart,
} from './store.ts'
import { DAY_MS, later, MINUTE_MS } from '../../base/time.ts'
import { synchronizedCloud } from './clouds.ts'
import { startGeneration } from './jobs.ts'

/** Interface "Synchronization jobs": records are kept so long. */
const KEPT_MS = 90 * DAY_MS
/** Ours: after so long without an execution coming to its end, the sweeper starts another one beside it. */
const SILENT_MS = 30 * MINUTE_MS
const PARTS_TOGETHER = 25

const partsOf = async (domain: string, job: string): Promise<Stored<StoredSynchronizationPart>[]> =>
  synchronizationParts.getMany(domain, await synchronizationParts.members(domain, partsOfJob(job)))

const isOpen = ({ item }: Stored<StoredSynchronizationPart>): boolean =>
  item.phase === 'known' || item.phase === 'listing'

/** A job that somebody is at: the sweeper leaves it alone for a while. */
export async function noteAlive(domain: string, stored: Stored<StoredSynchronizationJob>, now: Date): Promise<void> {
  const { item } = stored
  if (Date.parse(item.dueAt) > now.getTime() + SILENT_MS / 2) return
  const changes = new Changes()
  changes.update(synchronizationJobs, domain, stored, { ...item, dueAt: later(now, SILENT_MS).toISOString() })
  await commitUnlessDone(changes, now)
}

/** The places a job covers, as parts of it; those there are already stay as they are. @returns ids of those still open */
export async function planParts(domain: string, jobId: string, now: Date): Promise<string[]> {
  const stored = await synchronizationJobs.get(domain, jobId)
  if (stored?.item.overall_status !== 'in_progress') return []
  const { item: job } = stored
  await noteAlive(domain, stored, now)
  const known = new Set((await partsOf(domain, jobId)).map(({ item }) => `${item.container}/${item.region}`))
  const places = job.places.filter(({ container, region }) => !known.has(`${container}/${region}`))
  const cloud = synchronizedCloud(sourceOf(job))
  const parts: StoredSynchronizationPart[] = places.map(({ container, name, region }) => ({
    id: uuid(now),
    job: jobId,
    container,
    region,
    name: cloud.placeName(name, region),
    phase: 'known',
    added: 0,
    updated: 0,
    gone: 0,
    generation: 0,
    turns: 0,
    troubles: 0,
    heldUntil: now.toISOString(),
  }))
  for (let at = 0; at < parts.length; at += PARTS_TOGETHER) {
    const changes = new Changes()
    for (const part of parts.slice(at, at + PARTS_TOGETHER)) changes.create(synchronizationParts, domain, part)
    await commitUnlessDone(changes, now)
  }
  return (await partsOf(domain, jobId)).filter(isOpen).map(({ item }) => item.id)
}

const OUTCOMES: Readonly<Record<StoredSynchronizationPart['phase'], string>> = {
  known: 'not begun',
  listing: 'not finished',
  done: 'synchronized successfully',
  failed: 'failed',
  aborted: 'aborted',
}

function overallOf({ abort, places }: StoredSynchronizationJob, parts: readonly StoredSynchronizationPart[]) {
  const done = parts.filter(({ phase }) => phase === 'done').length
  if (abort && done < places.length) return 'aborted'
  return parts.some(({ phase }) => phase === 'failed') ? 'failed' : 'completed'
}

/** What became of each place; those that were never begun have no part. */
function outcomesOf(job: StoredSynchronizationJob, parts: readonly StoredSynchronizationPart[]) {
  const { abort, places } = job
  const cloud = synchronizedCloud(sourceOf(job))
  const byName = new Map(parts.map((part) => [part.name, part]))
  return Object.fromEntries(
    places.map(({ name: container, region }) => {
      const name = cloud.placeName(container, region)
      const { phase = 'known', message } = byName.get(name) ?? {}
      const isEnded = phase === 'done' || phase === 'failed'
      return [name, message ?? (abort && !isEnded ? OUTCOMES.aborted : OUTCOMES[phase])]
    }),
  )
}

/**
 * The end of an execution: parts that are left get another one; without any, the job is over and says what became of
 * each. May be called twice.
 */
export async function finishJob(domain: string, jobId: string, generation: number, now: Date): Promise<void> {
  const stored = await synchronizationJobs.get(domain, jobId)
  if (stored?.item.overall_status !== 'in_progress') return
  const parts = (await partsOf(domain, jobId)).map(({ item }) => item)
  const left = parts.length < stored.item.places.length || parts.some((item) => isOpen({ item, rev: 0 }))
  if (left && !stored.item.abort) return goOn(domain, stored, generation, now)
  const at = now.toISOString()
  const sum = (of: 'added' | 'updated' | 'gone'): number => parts.reduce((total, part) => total + part[of], 0)
  const job: StoredSynchronizationJob = {
    ...stored.item,
    overall_status: overallOf(stored.item, parts),
    detailed_status: outcomesOf(stored.item, parts),
    places: [],
    added: sum('added'),
    updated: sum('updated'),
    gone: sum('gone'),
    completed_at: at,
    updatedAt: at,
    dueAt: later(now, KEPT_MS).toISOString(),
  }
  const changes = new Changes()
  changes.update(synchronizationJobs, domain, stored, job)
  await noteSynchronized(domain, sourceOf(job), parts, now) // first: nobody comes back to a job that is over
  await changes.commit(now)
  await removeParts(domain, jobId, now)
}

/** Containers tell when they were last read; one that changes at this very moment is told again. */
async function noteSynchronized(
  domain: string,
  source: string,
  parts: readonly StoredSynchronizationPart[],
  now: Date,
): Promise<void> {
  const done = parts.filter(({ phase }) => phase === 'done')
  const cloud = synchronizedCloud(source)
  for (const [container, some] of Map.groupBy(done, (part) => part.container)) {
    const regions = some.map(({ region }) => region)
    for (let attempt = 0; attempt < 3; attempt++) {
      const changes = new Changes()
      await cloud.noteSynchronized(changes, domain, container, regions, now)
      try {
        await changes.commit(now)
        break
      } catch (error) {
        if (!(error instanceof Stale)) throw error
      }
    }
  }
}

async function removeParts(domain: string, jobId: string, now: Date): Promise<void> {
  const parts = await partsOf(domain, jobId)
  for (let at = 0; at < parts.length; at += PARTS_TOGETHER) {
    const changes = new Changes()
    for (const part of parts.slice(at, at + PARTS_TOGETHER)) changes.remove(synchronizationParts, domain, part)
    await commitUnlessDone(changes, now)
  }
}

/** Of two executions at the same job only the younger one is followed by another. */
async function goOn(
  domain: string,
  stored: Stored<StoredSynchronizationJob>,
  generation: number,
  now: Date,
): Promise<void> {
  const { item: job } = stored
  if (generation === job.generation) await startAnew(domain, stored, now)
  // The next one may have been noted and not started: its name makes sure that it is once.
  else if (generation + 1 === job.generation) await startGeneration(domain, job)
}

/** Another execution of the flow goes on with what is left. */
async function startAnew(domain: string, stored: Stored<StoredSynchronizationJob>, now: Date): Promise<void> {
  const job = {
    ...stored.item,
    generation: stored.item.generation + 1,
    dueAt: later(now, SILENT_MS).toISOString(),
  }
  const changes = new Changes()
  changes.update(synchronizationJobs, domain, stored, job)
  await changes.commit(now)
  await startGeneration(domain, job)
}

/** A job nobody has been heard of for too long: its flow was never started, or stopped. */
export async function resumeJob(domain: string, jobId: string, now: Date): Promise<void> {
  const stored = await synchronizationJobs.get(domain, jobId)
  if (stored?.item.overall_status === 'in_progress') await startAnew(domain, stored, now)
}

/** A job whose record has been kept long enough, and what it may have left. */
export async function forgetJob(domain: string, jobId: string, now: Date): Promise<void> {
  await removeParts(domain, jobId, now)
  const stored = await synchronizationJobs.get(domain, jobId)
  if (stored === undefined) return
  const changes = new Changes()
  changes.remove(synchronizationJobs, domain, stored)
  await changes.commit(now)
}
