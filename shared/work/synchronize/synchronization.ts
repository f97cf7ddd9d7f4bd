import { uuid } from '../../base/ids.ts'
import { auditRecord, OWN_WORK } from '../../http/audit/record.ts'
import { auditRecords } from '../../http/audit/store.ts'
import { retryWhenStale, Changes } from '../../store/changes.ts'
import { Engine } from '../engine/engine.ts'
import { removeTogether } from '../engine/remove-together.ts'
import { DONE, GIVEN_UP, newTurns, type Next, type Turn } from '../engine/turn.ts'
import { keptUntil } from '../engine/generation.ts'
import { synchronizedCloud } from './clouds.ts'
import { ERRORS_MOST } from './model.ts'
import { backingUp } from './backups.ts'
import { Reading } from './reading.ts'
import {
  errorsOf,
  isOpen,
  partsOfJob,
  sourceOf,
  SYNCHRONIZATION_FLOW,
  synchronizationJobs,
  synchronizationParts,
  type StoredSynchronizationJob,
  type StoredSynchronizationPart,
} from './store.ts'

const PARTS_TOGETHER = 25

type Job = StoredSynchronizationJob
type Part = StoredSynchronizationPart

const placeKey = ({ container, region }: Pick<Part, 'container' | 'region'>): string => `${container}/${region}`

const partIds = (domain: string, job: string): Promise<string[]> =>
  synchronizationParts.members(domain, partsOfJob(job))

async function partsOf(domain: string, { id }: Job): Promise<Part[]> {
  const parts = await synchronizationParts.getMany(domain, await partIds(domain, id), 'leave out')
  return parts.map(({ item }) => item)
}

/** A new part for each place without one. */
async function missing(job: Job, there: readonly Part[], now: Date): Promise<Part[]> {
  const known = new Set(there.map(placeKey))
  const cloud = await synchronizedCloud(sourceOf(job))
  return job.places
    .filter((place) => !known.has(placeKey(place)))
    .map(({ container, name, region }) => ({
      id: uuid(now),
      job: job.id,
      container,
      region,
      name: cloud.placeName(name, region),
      phase: 'known',
      added: 0,
      updated: 0,
      gone: 0,
      unread: 0,
      errors: [],
      backups: 0,
      not_backed_up: 0,
      ...newTurns(now),
    }))
}

/** Reads a place page by page. */
async function open({ domain, job, lease, sweep, budget }: Turn<Job, Part>): Promise<() => Promise<undefined>> {
  const { now, hasTime } = sweep
  const cloud = await synchronizedCloud(sourceOf(job))
  const { container, region } = lease.item
  const place = await cloud.open(domain, container, region, { now, budget, begun: new Date(job.createdAt) })
  const reading = new Reading(domain, now, cloud, place, lease, backingUp(cloud, job, now))
  return async () => {
    await reading.page(hasTime)
    return undefined
  }
}

function leave({ lease }: Turn<Job, Part>): Promise<Next> {
  lease.set({ phase: 'aborted' })
  return Promise.resolve(DONE)
}

const OUTCOMES: Readonly<Record<Part['phase'], string>> = {
  known: 'not begun',
  listing: 'not finished',
  backing_up: 'not all backups were taken',
  done: 'synchronized successfully',
  failed: 'failed',
  aborted: 'aborted',
}

function overallOf({ abort, places }: Job, parts: readonly Part[], isGivenUp: boolean): Job['overall_status'] {
  const done = parts.filter(({ phase }) => phase === 'done').length
  if (abort && done < places.length) return 'aborted'
  return isGivenUp || parts.some(({ phase }) => phase === 'failed') ? 'failed' : 'completed'
}

/** The outcome of each place; places that were never begun have no part. */
async function outcomesOf(job: Job, parts: readonly Part[], isGivenUp: boolean): Promise<Record<string, string>> {
  const { abort, places } = job
  const cloud = await synchronizedCloud(sourceOf(job))
  const byName = new Map(parts.map((part) => [part.name, part]))
  return Object.fromEntries(
    places.map(({ name: container, region }) => {
      const name = cloud.placeName(container, region)
      const { phase = 'known', message, unread = 0, not_backed_up = 0 } = byName.get(name) ?? {}
      if (phase === 'done' && unread > 0) return [name, `synchronized, but for ${unread} that could not be read`]
      if (phase === 'done' && not_backed_up > 0)
        return [name, `synchronized, but for ${not_backed_up} without a backup`]
      const isEnded = phase === 'done' || phase === 'failed'
      const left = abort ? OUTCOMES.aborted : isGivenUp ? GIVEN_UP : OUTCOMES[phase]
      return [name, message ?? (isEnded ? OUTCOMES[phase] : left)]
    }),
  )
}

/** Records in the containers when they were last read. */
async function noteSynchronized(domain: string, job: Job, parts: readonly Part[], now: Date): Promise<void> {
  const done = parts.filter(({ phase }) => phase === 'done')
  const cloud = await synchronizedCloud(sourceOf(job))
  const when = { now, begun: new Date(job.createdAt) }
  for (const [container, some] of Map.groupBy(done, (part) => part.container)) {
    const regions = some.map(({ region }) => region)
    await retryWhenStale(async () => {
      const changes = new Changes()
      await cloud.noteSynchronized(changes, domain, container, regions, when)
      await changes.commit(now)
    })
  }
}

/** Ours: the audit record of a job's end names this many containers. */
const NAMED_MOST = 50

/** Stages the audit record of an ended job: alarms count consecutive failures of the same containers. */
function recordEnd(changes: Changes, domain: string, job: Job, overall_status: string, now: Date): void {
  const containers = [...new Set(job.places.map(({ name }) => name))].slice(0, NAMED_MOST)
  const success = overall_status !== 'failed'
  const record = auditRecord(domain, now, {
    severity: success ? 'info' : 'error',
    service: 'keymgr',
    message: 'Finish Synchronization',
    success,
    details: {
      action: 'finish-synchronization',
      resource_uri: job.uri,
      after: { overall_status, source: sourceOf(job), containers },
    },
    ...OWN_WORK,
  })
  changes.create(auditRecords, domain, record)
}

const removeParts = async (domain: string, job: string, now: Date): Promise<void> =>
  removeTogether(synchronizationParts, domain, await partIds(domain, job), { now, together: PARTS_TOGETHER })

/** Synchronizes the keys of containers, one part for each place. */
export const SYNCHRONIZATION = new Engine<Job, Part>({
  ...SYNCHRONIZATION_FLOW,
  entity: synchronizationJobs,
  isUnderWay: ({ overall_status }) => overall_status === 'in_progress',
  isCancelled: ({ abort }) => abort,
  items: {
    entity: synchronizationParts,
    countOf: ({ places }) => places.length,
    isOpen,
    all: partsOf,
    missing,
    open,
    leave,
    failed: (message) => ({ phase: 'failed', message }),
  },
  close: async (domain, stored, isGivenUp, now) => {
    const job = stored.item
    const parts = await partsOf(domain, job)
    const at = now.toISOString()
    const sum = (of: 'added' | 'updated' | 'gone' | 'unread' | 'backups'): number =>
      parts.reduce((total, part) => total + part[of], 0)
    const overall_status = overallOf(job, parts, isGivenUp)
    const changes = new Changes()
    if (overall_status !== 'aborted') recordEnd(changes, domain, job, overall_status, now)
    changes.update(synchronizationJobs, domain, stored, {
      ...job,
      overall_status,
      detailed_status: await outcomesOf(job, parts, isGivenUp),
      places: [],
      added: sum('added'),
      updated: sum('updated'),
      gone: sum('gone'),
      unread: sum('unread'),
      ...(job.behalf && { backups: sum('backups') }),
      errors: parts.flatMap(errorsOf).slice(0, ERRORS_MOST),
      completed_at: at,
      updatedAt: at,
      dueAt: keptUntil(now),
    })
    await noteSynchronized(domain, job, parts, now) // first: a job that is over does not get back here
    await changes.commit(now)
    await removeParts(domain, job.id, now)
  },
  forget: (_changes, domain, { id }, now) => removeParts(domain, id, now),
})
