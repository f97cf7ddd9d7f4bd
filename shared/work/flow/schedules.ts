import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  ResourceNotFoundException,
  SchedulerClient,
  UpdateScheduleCommand,
  ValidationException,
  type CreateScheduleCommandInput,
} from '@aws-sdk/client-scheduler'
import { defined } from '../../base/fields.ts'
import { ATTEMPTS } from '../../base/attempts.ts'
import { environment } from '../../base/environment.ts'
import { Refusal } from '../../base/errors.ts'

const CONNECT_TIMEOUT_MS = 1_000
const CALL_TIMEOUT_MS = 3_000

let client: SchedulerClient | undefined
const scheduler = (): SchedulerClient => {
  client ??= new SchedulerClient({
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: CALL_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  })
  return client
}

/**
 * Placeholder in an input: the scheduler replaces it by the scheduled time (RFC 3339, seconds, `Z`), however late it
 * fires.
 */
export const SCHEDULED_TIME = '<aws.scheduler.scheduled-time>'

/** A schedule that starts the flow `run-job`. */
export interface JobSchedule {
  /** 1 to 64 of `0-9 a-z A-Z - _ .` */
  readonly name: string
  /** as `scheduleExpressions` of `shared/base/cron.ts` makes them; UTC */
  readonly expression: string
  /** input of each execution; ids and times, no secrets */
  readonly input: object
  readonly enabled: boolean
  readonly startDate?: Date | undefined
  readonly endDate?: Date | undefined
}

/** An existing schedule. */
export interface KeptSchedule extends Omit<JobSchedule, 'input'> {
  /** JSON, as `putSchedule` was given it */
  readonly input: string
}

const { tries: TRIES } = ATTEMPTS.schedule

const changedByOthers = (name: string): Refusal =>
  unavailable(new Error(`The schedule ${name} was changed by others ${TRIES} times meanwhile`))

type Told = 'KEYMGR_SCHEDULE_GROUP' | 'KEYMGR_SCHEDULE_ROLE' | 'KEYMGR_SCHEDULE_DEAD_LETTERS' | 'KEYMGR_FLOW_RUN_JOB'
const told = (name: Told): string => {
  const value = environment()[name]
  if (value === undefined) throw new Error(`This function was not told ${name}`)
  return value
}

/**
 * Creates the schedule, or updates the existing one to exactly these settings. Safe to repeat; of two simultaneous
 * calls, one wins as a whole. A schedule may fire more than once for one time, and by its former settings shortly after
 * a change.
 * @param now a start date before it is omitted, because the scheduler refuses it; with an end date before it, the
 * schedule is deleted
 * @throws Refusal UNAVAILABLE if the outcome is unknown
 */
export async function putSchedule(wanted: JobSchedule, now: Date): Promise<void> {
  if (wanted.endDate !== undefined && wanted.endDate <= now) return removeSchedule(wanted.name)
  const input = requestOf(wanted, now)
  for (let failures = 0; failures < TRIES; failures += 1) {
    const made = await called(() => scheduler().send(new CreateScheduleCommand(input)))
    if (made === 'gone') throw new Error(`There is no schedule group ${input.GroupName}`)
    if (made !== 'conflict') return
    const changed = await called(() => scheduler().send(new UpdateScheduleCommand(input)))
    if (changed !== 'gone' && changed !== 'conflict') return
  }
  throw changedByOthers(wanted.name)
}

/** The request to create or update: an update replaces every field. */
function requestOf({ name, expression, input, enabled, startDate, endDate }: JobSchedule, now: Date) {
  return {
    Name: name,
    GroupName: told('KEYMGR_SCHEDULE_GROUP'),
    ScheduleExpression: expression,
    ScheduleExpressionTimezone: 'UTC',
    State: enabled ? 'ENABLED' : 'DISABLED',
    ...(startDate !== undefined && startDate > now && { StartDate: startDate }),
    ...defined({ EndDate: endDate }),
    FlexibleTimeWindow: { Mode: 'OFF' },
    // No retry policy: the scheduler itself retries for a day, and a repeated start for the same scheduled time begins
    // no run.
    Target: {
      Arn: told('KEYMGR_FLOW_RUN_JOB'),
      RoleArn: told('KEYMGR_SCHEDULE_ROLE'),
      Input: JSON.stringify(input),
      DeadLetterConfig: { Arn: told('KEYMGR_SCHEDULE_DEAD_LETTERS') },
    },
  } satisfies CreateScheduleCommandInput
}

/** Deletes the schedule; a missing schedule is not an error. @throws Refusal UNAVAILABLE if the outcome is unknown */
export async function removeSchedule(name: string): Promise<void> {
  const command = new DeleteScheduleCommand({ Name: name, GroupName: told('KEYMGR_SCHEDULE_GROUP') })
  for (let failures = 0; failures < TRIES; failures += 1) {
    if ((await called(() => scheduler().send(command))) !== 'conflict') return
  }
  throw changedByOthers(name)
}

/** The stored schedule, `undefined` if there is none. @throws Refusal UNAVAILABLE */
export async function findSchedule(name: string): Promise<KeptSchedule | undefined> {
  const command = new GetScheduleCommand({ Name: name, GroupName: told('KEYMGR_SCHEDULE_GROUP') })
  const found = await called(() => scheduler().send(command))
  if (found === 'gone' || found === 'conflict') return undefined
  const { ScheduleExpression = '', State, StartDate, EndDate, Target } = found
  return {
    name,
    expression: ScheduleExpression,
    input: Target?.Input ?? '',
    enabled: State === 'ENABLED',
    ...(StartDate && { startDate: StartDate }),
    ...(EndDate && { endDate: EndDate }),
  }
}

/**
 * Names of schedules with this prefix, 100 at a time. Schedules created or deleted meanwhile may be listed or not.
 * @param token from the previous page; a token unknown to the scheduler restarts the list
 * @throws Refusal UNAVAILABLE
 */
export async function schedulesNamed(
  prefix: string,
  token: string | undefined,
): Promise<{ names: string[]; next?: string }> {
  const GroupName = told('KEYMGR_SCHEDULE_GROUP')
  const command = new ListSchedulesCommand({ GroupName, NamePrefix: prefix, NextToken: token })
  const page = await called(() => scheduler().send(command)).catch((error: unknown) => {
    if (token === undefined || !(error instanceof ValidationException)) throw error
    return undefined
  })
  if (page === undefined) return schedulesNamed(prefix, undefined)
  if (page === 'gone' || page === 'conflict') throw new Error(`There is no schedule group ${GroupName}`)
  return {
    names: (page.Schedules ?? []).flatMap(({ Name }) => Name ?? []),
    ...defined({ next: page.NextToken }),
  }
}

/**
 * Makes a call.
 * @returns its answer; `conflict` when a schedule of this name exists, `gone` when none exists
 * @throws Refusal UNAVAILABLE; errors of keymgr's request unchanged, since a retry would not help
 */
async function called<T>(call: () => Promise<T>): Promise<T | 'conflict' | 'gone'> {
  try {
    return await call()
  } catch (cause) {
    if (cause instanceof ConflictException) return 'conflict'
    if (cause instanceof ResourceNotFoundException) return 'gone'
    if (cause instanceof ValidationException) throw cause
    throw unavailable(cause)
  }
}

const unavailable = (cause: unknown): Refusal =>
  new Refusal('UNAVAILABLE', 'The schedule could not be reached at the moment. Try again.', { cause })
