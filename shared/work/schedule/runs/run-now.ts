import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../../../http/context.ts'
import { ATTEMPTS, pauseMs } from '../../../base/attempts.ts'
import { Refusal } from '../../../base/errors.ts'
import { uuid } from '../../../base/ids.ts'
import { Changes } from '../../../store/changes.ts'
import { jobConfigStates } from '../configs/store.ts'
import { isOver, jobs, RUN_FLOW, type StoredJob } from './store.ts'
import { initiatorOf } from '../../../http/on-behalf.ts'
import { later, MINUTE_MS } from '../../../base/time.ts'
import { startGeneration } from '../../engine/generation.ts'
import { findConfig, stateOf } from '../configs/job-configs.ts'
import { newJob } from './new-job.ts'

/** When the sweeper queues a run that could not be queued. */
const QUEUED_BY_MS = MINUTE_MS

export interface Started {
  readonly job_id?: string
  readonly job_config_id: string
}

/**
 * Starts a run at once, regardless of its times and of whether the configuration is disabled. The run is recorded and
 * committed before it is queued, so that every queued run has a record. The sweeper queues a run that could not be
 * queued in time; the answer does not contain its id.
 * @throws Refusal NOT_FOUND, STATE_CONFLICT while a run of the configuration is under way
 */
export async function runNow(context: Context, id: string): Promise<Started> {
  const { item: config } = await findConfig(context, id)
  context.about({ uri: config.uri, name: config.name, record: config })
  context.beforeEffects()
  const job = await context.once('run now', () => record(context, id))
  context.about({ uri: config.uri, name: config.name, after: { job_id: job.id } })
  const isQueued = await context.once('queue', () => queue(context.caller.domain.id, job))
  return { ...(isQueued && { job_id: job.id }), job_config_id: id }
}

/** @throws Stale when another run starts at the same moment: the request runs again */
async function record(context: Context, configId: string) {
  const { caller, now, traceId, clientIp } = context
  const domain = caller.domain.id
  const { item: config } = await findConfig(context, configId)
  const state = await stateOf(domain, configId)
  const former = state.item.job === undefined ? undefined : await jobs.get(domain, state.item.job)
  if (former !== undefined && !isOver(former.item))
    throw new Refusal('STATE_CONFLICT', 'A run of the configuration is under way already.')
  const dueAt = later(now, QUEUED_BY_MS).toISOString()
  const job = {
    ...newJob(
      domain,
      config,
      { id: uuid(now), status: 'scheduled', triggered_by: 'manual', traceId, clientIp, dueAt },
      now,
    ),
    initiator: initiatorOf(caller),
  }
  const changes = new Changes()
  changes.create(jobs, domain, job)
  changes.update(jobConfigStates, domain, state, { ...state.item, job: job.id, last_status: 'scheduled' })
  await changes.commit(now)
  return job
}

/** @returns whether the run was queued in time */
async function queue(domain: string, job: StoredJob): Promise<boolean> {
  const budget = AbortSignal.timeout(ATTEMPTS.runStart.lastsMs) // also aborts a call that gets no answer
  for (;;) {
    try {
      await startGeneration(RUN_FLOW, domain, job, budget)
      return true
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (budget.aborted) return false
      await pause(pauseMs('runStart'))
    }
  }
}
