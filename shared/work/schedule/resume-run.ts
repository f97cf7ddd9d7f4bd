import { startFlow } from '../flow/start-flow.ts'
import { Changes, Stale } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { isOver, jobs, type StoredJob } from './run-store.ts'
import { later, MINUTE_MS } from '../../base/time.ts'

/** Ours: after so long without a word from it, the sweeper starts another execution beside the one that may be. */
export const SILENT_MS = 30 * MINUTE_MS

/** Starts the flow of a run; the same generation twice is one. */
export const startRun = (
  domain: string,
  { id, job_config_id, generation }: StoredJob,
  budget?: AbortSignal,
): Promise<void> =>
  startFlow('run-job', `${id}-${generation}`, { domain, job_config: job_config_id, occasion: id, generation }, budget)

/** A run that somebody is at: the sweeper leaves it alone for a while. @returns the run as it is now */
export async function noteAlive(domain: string, stored: Stored<StoredJob>, now: Date): Promise<Stored<StoredJob>> {
  const { item, rev } = stored
  if (Date.parse(item.dueAt) > now.getTime() + SILENT_MS / 2) return stored
  const alive = { ...item, dueAt: later(now, SILENT_MS).toISOString() }
  const changes = new Changes()
  changes.update(jobs, domain, stored, alive)
  try {
    await changes.commit(now)
    return { item: alive, rev: rev + 1 }
  } catch (error) {
    if (!(error instanceof Stale)) throw error
    return (await jobs.get(domain, item.id)) ?? stored // somebody else wrote it, who is alive
  }
}

/** Another execution goes on with what is left. */
export async function startAnew(
  domain: string,
  stored: Stored<StoredJob>,
  change: Partial<StoredJob>,
  now: Date,
): Promise<void> {
  const job = {
    ...stored.item,
    ...change,
    generation: stored.item.generation + 1,
    dueAt: later(now, SILENT_MS).toISOString(),
  }
  const changes = new Changes()
  changes.update(jobs, domain, stored, job)
  await changes.commit(now)
  await startRun(domain, job)
}

/** A run nobody has been heard of for too long: its flow was never started, or stopped. */
export async function resumeRun(domain: string, id: string, now: Date): Promise<void> {
  const stored = await jobs.get(domain, id)
  if (stored !== undefined && !isOver(stored.item)) await startAnew(domain, stored, {}, now)
}
