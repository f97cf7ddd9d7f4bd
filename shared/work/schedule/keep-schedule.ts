import * as z from 'zod'
import { defined } from '../../base/fields.ts'
import { scheduleExpressions } from '../../base/cron.ts'
import {
  findSchedule,
  putSchedule,
  removeSchedule,
  SCHEDULED_TIME,
  schedulesNamed,
  type JobSchedule,
} from '../flow/schedules.ts'
import { retryWhenStale, Changes, commitUnlessDone } from '../../store/changes.ts'
import { getBoth } from '../../store/entity.ts'
import { jobConfigs, jobConfigStates, type StoredJobConfig } from './configs/store.ts'
import { SCHEDULE_SWEEPS_DOMAIN, scheduleSweeps } from './sweep-store.ts'
import { DAY_MS, later, reached, type Sweep } from '../../base/time.ts'
import { object } from '../../base/lazy-fields.ts'
import { cronOf } from './configs/present-config.ts'

/** Ours: how often a schedule is compared with its configuration when no change is known. */
const CHECKED_EVERY_MS = DAY_MS

const ScheduleInput = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' })
      return z.NEVER
    }
  })
  .pipe(object(() => ({ domain: z.string() })))

const PREFIX = 'job-'
/** A cron expression that restricts both the day of the month and the day of the week takes two schedules. */
const ENDINGS = ['1', '2'] as const
const nameOf = (config: string, ending: string): string => `${PREFIX}${config}-${ending}`
const NAMED = /^job-([0-9a-f-]{36})-[12]$/

/** The input of each scheduled start; the scheduler replaces the occasion by the scheduled time. */
const inputOf = (domain: string, config: string) => ({
  domain,
  job_config: config,
  occasion: SCHEDULED_TIME,
  generation: 0,
})

/** The schedules that a configuration needs; none after its end. */
function schedulesOf(domain: string, config: StoredJobConfig, now: Date): JobSchedule[] {
  const { id, disabled, start_date, end_date } = config
  if (reached(end_date, now)) return []
  return scheduleExpressions(cronOf(config)).map((expression, at) => ({
    name: nameOf(id, ENDINGS[at] ?? ''),
    expression,
    input: inputOf(domain, id),
    enabled: !disabled,
    ...(start_date !== undefined && { startDate: new Date(start_date) }),
    ...(end_date !== undefined && { endDate: new Date(end_date) }),
  }))
}

/**
 * Updates the schedules of a configuration; without the configuration, removes them together with its state. May be
 * called twice and at the same time: a call that finds the configuration changed meanwhile writes the schedules again.
 * @throws Refusal UNAVAILABLE
 */
export const keepSchedule = (domain: string, id: string, now: Date): Promise<void> =>
  retryWhenStale(() => keepOnce(domain, id, now))

async function keepOnce(domain: string, id: string, now: Date): Promise<void> {
  const state = await jobConfigStates.get(domain, id)
  const config = state && (await jobConfigs.get(domain, id))
  const wanted = config === undefined ? [] : schedulesOf(domain, config.item, now)
  for (const schedule of wanted) await putSchedule(schedule, now)
  const kept = wanted.map(({ name }) => name)
  for (const name of ENDINGS.map((ending) => nameOf(id, ending))) if (!kept.includes(name)) await removeSchedule(name)
  if (state === undefined) return // it was deleted while its schedules were written
  const changes = new Changes()
  if (config === undefined) changes.remove(jobConfigStates, domain, state)
  else {
    changes.rely(jobConfigs, domain, config)
    changes.update(jobConfigStates, domain, state, {
      ...state.item,
      dueAt: later(now, CHECKED_EVERY_MS).toISOString(),
    })
  }
  await changes.commit(now)
}

/** The domain whose runs a schedule starts. */
async function domainOf(name: string): Promise<string | undefined> {
  const schedule = await findSchedule(name)
  return schedule && ScheduleInput.safeParse(schedule.input).data?.domain
}

/** Whether the schedule belongs to keymgr and its configuration was deleted. */
async function isOrphan(name: string): Promise<boolean> {
  const id = NAMED.exec(name)?.[1]
  const domain = id === undefined ? undefined : await domainOf(name)
  if (id === undefined || domain === undefined) return false // not keymgr's, or already deleted
  const [config, state] = await getBoth(domain, id, [jobConfigs, jobConfigStates])
  return config === undefined && state === undefined
}

/** Records where the next sweep continues. Of two simultaneous writes, either one is valid. */
async function noteSweep(token: string | undefined, now: Date): Promise<void> {
  const stored = await scheduleSweeps.get(SCHEDULE_SWEEPS_DOMAIN, PREFIX)
  if (stored?.item.token === token) return
  const item = { id: PREFIX, ...defined({ token }) }
  const changes = new Changes()
  if (stored === undefined) changes.create(scheduleSweeps, SCHEDULE_SWEEPS_DOMAIN, item)
  else changes.update(scheduleSweeps, SCHEDULE_SWEEPS_DOMAIN, stored, item)
  await commitUnlessDone(changes, now)
}

/**
 * Removes schedules without a configuration: leftovers of an interruption, or of a deployment whose table was restored
 * to an older state. Continues page by page where the last sweep ended. `keepSchedule` restores missing schedules.
 */
export async function removeOrphans({ now, hasTime }: Sweep): Promise<{ removed: number }> {
  let removed = 0
  let token = (await scheduleSweeps.get(SCHEDULE_SWEEPS_DOMAIN, PREFIX))?.item.token
  do {
    const { names, next } = await schedulesNamed(PREFIX, token)
    for (const name of names) {
      if (!(await isOrphan(name))) continue
      await removeSchedule(name)
      removed++
    }
    token = next
  } while (token !== undefined && hasTime())
  await noteSweep(token, now)
  return { removed }
}
