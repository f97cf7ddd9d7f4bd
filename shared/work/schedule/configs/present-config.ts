import { nextRuns, readCron, type Cron } from '../../../base/cron.ts'
import type { JobConfig } from './model.ts'
import { jobConfigStates, type StoredJobConfig, type StoredJobConfigState } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { reached } from '../../../base/time.ts'
import { defined, without } from '../../../base/fields.ts'

/** The times at which a stored configuration runs. @throws Error, a fault: stored expressions are always valid */
export function cronOf({ id, run_at }: Pick<StoredJobConfig, 'id' | 'run_at'>): Cron {
  const read = readCron(run_at)
  if ('fault' in read) throw new Error(`The configuration ${id} has no cron expression: ${read.fault}`)
  return read.cron
}

type Timed = Pick<StoredJobConfig, 'id' | 'run_at' | 'disabled' | 'start_date' | 'end_date'>

/** The next times at which a configuration runs; fewer than `count` if its end date comes first. */
export function runsAhead(config: Timed, now: Date, count: number): Date[] {
  const { disabled, start_date, end_date } = config
  if (disabled) return []
  // A start date at the very minute of a run includes that run.
  const start = start_date === undefined ? now : new Date(Math.max(now.getTime(), Date.parse(start_date) - 1))
  const runs: Date[] = []
  for (const run of nextRuns(cronOf(config), start)) {
    if (reached(end_date, run) || runs.length === count) break
    runs.push(run)
  }
  return runs
}

/** A configuration as shown, with the outcome of its last run. */
export function presentConfig(
  { item, rev }: Stored<StoredJobConfig>,
  state: StoredJobConfigState | undefined,
  now: Date,
): Stored<JobConfig> {
  const [next] = runsAhead(item, now, 1)
  const { last_run_at, last_status } = state ?? {}
  return {
    item: {
      ...without(item, 'initiator', 'cloud_name', 'expire_in'),
      ...defined({ last_run_at }),
      ...(next && { next_run_at: next.toISOString() }),
      ...defined({ last_status }),
    },
    rev,
  }
}

/** The states of configurations, by id. One read for each 100. */
export async function statesOf(domain: string, ids: readonly string[]): Promise<Map<string, StoredJobConfigState>> {
  const states = await jobConfigStates.getMany(domain, ids, 'leave out')
  return new Map(states.map(({ item }) => [item.id, item]))
}
