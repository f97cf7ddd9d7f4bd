import { directiveOf, embedded } from '../base/figures.ts'
import { errorFields, log } from '../base/log.ts'
import { PUBLISH } from '../http/audit/store.ts'
import { dueSince, type DueWork } from '../store/due.ts'
import { OVERDUE_WORK } from './overdue.ts'

/** Seconds for which the oldest of some items has been due; 0 when none is. */
async function lagSeconds(works: readonly DueWork[], now: Date): Promise<number> {
  const since = await Promise.all(works.map((work) => dueSince(work, now)))
  const oldest = since.filter((at) => at !== undefined).sort()[0]
  return oldest === undefined ? 0 : Math.max(0, now.getTime() - Date.parse(oldest)) / 1_000
}

/** How far the background work is behind. */
interface Lags {
  /** how long, in seconds, the oldest audit record has waited for its position in the log */
  readonly outbox_lag_seconds: number
  /** seconds for which the oldest interrupted job or saga, or schedule to keep, has been due */
  readonly job_lag_seconds: number
}

export async function lags(now: Date): Promise<Lags> {
  const [outbox, jobs] = await Promise.all([
    lagSeconds([PUBLISH], now),
    lagSeconds(
      OVERDUE_WORK.map((due) => ({ due })),
      now,
    ),
  ])
  return { outbox_lag_seconds: outbox, job_lag_seconds: jobs }
}

const METRICS = directiveOf({
  dimensions: [[]],
  metrics: [
    { Name: 'outbox_lag_seconds', Unit: 'Seconds' },
    { Name: 'job_lag_seconds', Unit: 'Seconds' },
  ],
})

/** Logs a line with the lags as metrics. Never throws, because work follows it. */
export async function logLags(now: Date): Promise<void> {
  try {
    log('info', 'lags', { ...(await lags(now)) }, embedded(METRICS, now.getTime()))
  } catch (error) {
    log('warn', 'lags not read', errorFields(error))
  }
}
