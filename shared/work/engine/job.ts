import { log } from '../../base/log.ts'
import { later, MINUTE_MS } from '../../base/time.ts'
import { retryWhenStale, Changes, Stale } from '../../store/changes.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import { startFlow } from '../flow/start-flow.ts'
import type { JobFlow, JobKind, JobState, Standing, WorkItemState } from './kinds.ts'

/** Ours: after so long without a heartbeat, the sweeper starts another execution beside the one that may be. */
export const SILENT_MS = 30 * MINUTE_MS
/** Ours: generations in a row without progress, after which a job is closed with what it has come to. */
const IDLE_MOST = 8

/** A job that is under way. */
export async function underWay<J extends JobState, I extends WorkItemState>(
  { entity, isUnderWay }: JobKind<J, I>,
  domain: string,
  id: string,
): Promise<Stored<J> | undefined> {
  const stored = await entity.get(domain, id)
  return stored && isUnderWay(stored.item) ? stored : undefined
}

/** Tells the sweeper that a job is worked on. @returns the job as it is now */
export async function heartbeat<J extends JobState>(
  { entity }: { readonly entity: Entity<J, unknown> },
  domain: string,
  stored: Stored<J>,
  now: Date,
): Promise<Stored<J>> {
  const { item, rev } = stored
  if (Date.parse(item.dueAt) > now.getTime() + SILENT_MS / 2) return stored
  const alive = { ...item, dueAt: later(now, SILENT_MS).toISOString() }
  const changes = new Changes()
  changes.update(entity, domain, stored, alive)
  try {
    await changes.commit(now)
    return { item: alive, rev: rev + 1 }
  } catch (error) {
    if (!(error instanceof Stale)) throw error
    return (await entity.get(domain, item.id)) ?? stored
  }
}

/** Starts the execution of a job's generation; the same generation twice is one. @throws Refusal UNAVAILABLE */
export const startGeneration = <J extends JobState>(
  { flow, input }: JobFlow<J>,
  domain: string,
  job: J,
  budget?: AbortSignal,
): Promise<void> => startFlow(flow, `${job.id}-${job.generation}`, input(domain, job), budget)

/**
 * The end of an execution: what is left gets another one; without anything left, the job is closed. May be called twice.
 */
export const finish = <J extends JobState, I extends WorkItemState>(
  kind: JobKind<J, I>,
  domain: string,
  id: string,
  generation: number,
  now: Date,
): Promise<void> =>
  retryWhenStale(async () => {
    const stored = await underWay(kind, domain, id)
    if (stored === undefined) return
    const standing = await kind.standing(domain, stored.item, now)
    if (!standing.isLeft || kind.isCancelled?.(stored.item) === true) return kind.close(domain, stored, false, now)
    // Only the younger of two executions is followed by another. That one may have been noted and not started.
    if (generation + 1 === stored.item.generation) return startGeneration(kind, domain, stored.item)
    if (generation === stored.item.generation) return startNextGeneration(kind, domain, stored, standing, now)
  })

/** A job without a heartbeat for too long: its execution was never started, or stopped. */
export async function resume<J extends JobState, I extends WorkItemState>(
  kind: JobKind<J, I>,
  domain: string,
  id: string,
  now: Date,
): Promise<void> {
  const stored = await underWay(kind, domain, id)
  if (stored === undefined) return
  await startNextGeneration(kind, domain, stored, await kind.standing(domain, stored.item, now), now)
}

/** Another execution takes up what is left; after too many without progress the job is closed instead. */
async function startNextGeneration<J extends JobState, I extends WorkItemState>(
  kind: JobKind<J, I>,
  domain: string,
  stored: Stored<J>,
  { hasMoved, note }: Standing<J>,
  now: Date,
): Promise<void> {
  const resumes = hasMoved ? 0 : (stored.item.resumes ?? 0) + 1
  if (resumes >= IDLE_MOST) {
    log('error', 'a job was given up', { flow: kind.flow, job: stored.item.id })
    return kind.close(domain, stored, true, now)
  }
  const generation = stored.item.generation + 1
  const job = { ...stored.item, ...note, generation, resumes, dueAt: later(now, SILENT_MS).toISOString() }
  const changes = new Changes()
  changes.update(kind.entity, domain, stored, job)
  await changes.commit(now)
  await startGeneration(kind, domain, job)
}

/** Closes a job that cannot even be planned. */
export async function giveUp<J extends JobState, I extends WorkItemState>(
  kind: JobKind<J, I>,
  domain: string,
  id: string,
  now: Date,
): Promise<void> {
  const stored = await underWay(kind, domain, id)
  if (stored !== undefined) await kind.close(domain, stored, true, now)
}

/** Removes a job whose record has been kept long enough. */
export async function forget<J extends JobState, I extends WorkItemState>(
  kind: JobKind<J, I>,
  domain: string,
  id: string,
  now: Date,
): Promise<void> {
  const stored = await kind.entity.get(domain, id)
  if (stored === undefined || kind.isUnderWay(stored.item)) return
  const changes = new Changes()
  await kind.forget(changes, domain, stored.item, now)
  changes.remove(kind.entity, domain, stored)
  await changes.commit(now)
}

/** Removes items, so many in a transaction. */
export async function removeTogether<T>(
  entity: Entity<T, unknown>,
  domain: string,
  ids: readonly string[],
  { now, together }: { readonly now: Date; readonly together: number },
): Promise<void> {
  for (let at = 0; at < ids.length; at += together)
    await retryWhenStale(async () => {
      const changes = new Changes()
      for (const stored of await entity.getMany(domain, ids.slice(at, at + together)))
        changes.remove(entity, domain, stored)
      await changes.commit(now)
    })
}
