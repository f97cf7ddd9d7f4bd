import { nextRuns } from '../../../base/cron.ts'
import { uuidOf } from '../../../base/ids.ts'
import { log } from '../../../base/log.ts'
import { retryWhenStale, Changes } from '../../../store/changes.ts'
import { getBoth, type Stored } from '../../../store/entity.ts'
import { asOfNow } from '../../../http/initiators.ts'
import { jobConfigs, jobConfigStates, type StoredJobConfig, type StoredJobConfigState } from '../configs/store.ts'
import { isOver, jobs, type StoredJob } from './store.ts'
import { reached } from '../../../base/time.ts'
import { silentAt } from '../../engine/generation.ts'
import { disableLapsed } from '../disable-lapsed.ts'
import { cronOf } from '../configs/present-config.ts'
import { recordEnd } from './in-name-of.ts'
import { abortedJob, newJob } from './new-job.ts'

/** The input of the flow for one start. */
export interface Start {
  readonly domain: string
  readonly job_config: string
  /** the scheduled time (RFC 3339), or the id of an existing run */
  readonly occasion: string
}

/** Returned when there is no run to continue. */
const NONE = ''
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const OVERLAPPED = 'The former run of the configuration was still under way.'

/**
 * Begins a run. Ours: the id of a scheduled run derives from configuration and scheduled time, and a configuration
 * records the latest scheduled time, so a start that is delivered twice, late or out of order begins no run; a repeated
 * step finds the run that it began. A scheduled run has the groups that its author has now; if the author no longer
 * exists, no run begins and the configuration is disabled.
 * @returns id of the run to continue, or an empty text
 */
export async function beginRun({ domain, job_config, occasion }: Start, now: Date): Promise<string> {
  return retryWhenStale(() =>
    UUID.test(occasion) ? takeUp(domain, occasion, now) : beginScheduled(domain, job_config, new Date(occasion), now),
  )
}

/** Continues a run that is queued or under way. */
async function takeUp(domain: string, id: string, now: Date): Promise<string> {
  const stored = await jobs.get(domain, id)
  if (stored === undefined || isOver(stored.item)) return NONE
  if (stored.item.status === 'in_progress') return id
  const at = now.toISOString()
  const changes = new Changes()
  changes.update(jobs, domain, stored, {
    ...stored.item,
    status: 'in_progress',
    started_at: at,
    updatedAt: at,
    dueAt: silentAt(now),
  })
  const state = await jobConfigStates.get(domain, stored.item.job_config_id)
  if (state?.item.job === id)
    changes.update(jobConfigStates, domain, state, { ...state.item, last_run_at: at, last_status: 'in_progress' })
  await changes.commit(now)
  return id
}

/** Whether a configuration is active at a time. */
const isActive = ({ disabled, start_date, end_date }: StoredJobConfig, at: Date): boolean =>
  !disabled && (start_date === undefined || reached(start_date, at)) && !reached(end_date, at)

/** Ours: of several missed runs, only the last is started. */
function isSuperseded(config: StoredJobConfig, at: Date, now: Date): boolean {
  const next = nextRuns(cronOf(config), at).next()
  return next.done !== true && next.value.getTime() <= now.getTime() && isActive(config, next.value)
}

async function beginScheduled(domain: string, configId: string, at: Date, now: Date): Promise<string> {
  const id = uuidOf(at, `${configId} ${at.toISOString()}`)
  const [config, state] = await getBoth(domain, configId, [jobConfigs, jobConfigStates])
  if (config === undefined || state === undefined || !isActive(config.item, at)) return NONE
  if (reached(at.toISOString(), new Date(state.item.last_occasion ?? 0))) return begunRun(domain, id)
  if (isSuperseded(config.item, at, now)) {
    log('info', 'a run was missed, and a later one is due', { domain, job_config: configId, at: at.toISOString() })
    return NONE
  }
  const author = await asOfNow(config.item.initiator, now)
  if ('lapse' in author) {
    await disableLapsed(domain, config, state, { id, at }, author.lapse, now)
    return NONE
  }
  const current = { ...config.item, initiator: author.initiator }
  return (await isRunning(domain, state))
    ? overlap(domain, current, state, id, at, now)
    : begin(domain, current, state, id, at, now)
}

/** The run that a repeated step began. */
async function begunRun(domain: string, id: string): Promise<string> {
  const stored = await jobs.get(domain, id)
  return stored === undefined || isOver(stored.item) ? NONE : id
}

async function isRunning(domain: string, { item }: Stored<StoredJobConfigState>): Promise<boolean> {
  const former = item.job === undefined ? undefined : await jobs.get(domain, item.job)
  return former !== undefined && !isOver(former.item)
}

const scheduled = (domain: string, config: StoredJobConfig, id: string, now: Date): StoredJob => ({
  ...newJob(
    domain,
    config,
    {
      id,
      status: 'in_progress',
      triggered_by: 'schedule',
      traceId: id,
      clientIp: '',
      dueAt: silentAt(now),
    },
    now,
  ),
  started_at: now.toISOString(),
})

async function begin(
  domain: string,
  config: StoredJobConfig,
  state: Stored<StoredJobConfigState>,
  id: string,
  at: Date,
  now: Date,
): Promise<string> {
  const changes = new Changes()
  changes.create(jobs, domain, scheduled(domain, config, id, now))
  changes.update(jobConfigStates, domain, state, {
    ...state.item,
    job: id,
    last_run_at: now.toISOString(),
    last_status: 'in_progress',
    last_occasion: at.toISOString(),
  })
  await changes.commit(now)
  return id
}

/** Records the run as aborted; the former run stays the one under way. */
async function overlap(
  domain: string,
  config: StoredJobConfig,
  state: Stored<StoredJobConfigState>,
  id: string,
  at: Date,
  now: Date,
): Promise<string> {
  const changes = new Changes()
  const job = abortedJob(scheduled(domain, config, id, now), OVERLAPPED, now)
  changes.create(jobs, domain, job)
  recordEnd(changes, job, now)
  changes.update(jobConfigStates, domain, state, { ...state.item, last_occasion: at.toISOString() })
  await changes.commit(now)
  return NONE
}
