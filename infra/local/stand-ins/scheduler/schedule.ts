import { defined } from '../../../../shared/base/fields.ts'
import { LOCAL_ACCOUNT } from '../account.ts'
import { readExpression } from './expression.ts'

/** Target of a schedule, as spelled on the wire. */
export interface Target {
  readonly Arn: string
  readonly RoleArn: string
  readonly Input?: string
  readonly RetryPolicy: { readonly MaximumEventAgeInSeconds: number; readonly MaximumRetryAttempts: number }
  readonly DeadLetterConfig?: { readonly Arn: string }
}

export interface FlexibleTimeWindow {
  readonly Mode: 'OFF' | 'FLEXIBLE'
  readonly MaximumWindowInMinutes?: number
}

/** One schedule as the service stores it. Times are in milliseconds. */
export interface Schedule {
  readonly group: string
  readonly name: string
  /** `at(...)`, `rate(...)` or `cron(...)`, one that `readExpression` reads */
  readonly expression: string
  readonly timezone: string
  readonly state: 'ENABLED' | 'DISABLED'
  readonly startDate?: number
  readonly endDate?: number
  readonly description?: string
  readonly flexibleTimeWindow: FlexibleTimeWindow
  readonly target: Target
  readonly actionAfterCompletion: 'NONE' | 'DELETE'
  readonly createdAt: number
  readonly modifiedAt: number
}

export interface ScheduleGroup {
  readonly name: string
  readonly createdAt: number
  readonly modifiedAt: number
}

/** Unique: names contain no slash. */
export const keyOf = ({ group, name }: Pick<Schedule, 'group' | 'name'>): string => `${group}/${name}`

const ARN = `arn:aws:scheduler:${LOCAL_ACCOUNT.region}:${LOCAL_ACCOUNT.id}`
export const arnOf = (schedule: Pick<Schedule, 'group' | 'name'>): string => `${ARN}:schedule/${keyOf(schedule)}`
export const groupArnOf = (group: string): string => `${ARN}:schedule-group/${group}`

/**
 * The next firing later than `after`; `undefined` if there is none, or while the schedule is disabled. Ours: a rate
 * counts from the start date, or from the last change; a one-time schedule in the past does not fire.
 */
export function nextFiring(schedule: Schedule, after: number): number | undefined {
  const { expression: text, state, startDate = 0, endDate = Infinity, modifiedAt } = schedule
  const expression = readExpression(text)
  if (state === 'DISABLED' || expression === undefined) return undefined
  if (expression.kind === 'at') return expression.firstFrom(after + 1, 0) // both dates are for recurring ones
  const next = expression.firstFrom(Math.max(after + 1, startDate), schedule.startDate ?? modifiedAt)
  return next !== undefined && next <= endDate ? next : undefined
}

const MINUTE_MS = 60_000

/** The last firing after `after` and up to `now`. The search doubles its span instead of walking every firing. */
export function lastFiring(schedule: Schedule, after: number, now: number): number | undefined {
  for (let back = MINUTE_MS; ; back *= 2) {
    const from = Math.max(after, now - back)
    let last: number | undefined
    for (let at = nextFiring(schedule, from); at !== undefined && at <= now; at = nextFiring(schedule, at)) last = at
    if (last !== undefined || from === after) return last
  }
}

/** Times of this protocol are seconds. */
const seconds = (milliseconds: number): number => milliseconds / 1000

/** Answer of GetSchedule. */
export const describeSchedule = (schedule: Schedule): object => ({
  Arn: arnOf(schedule),
  GroupName: schedule.group,
  Name: schedule.name,
  ScheduleExpression: schedule.expression,
  ScheduleExpressionTimezone: schedule.timezone,
  State: schedule.state,
  ...(schedule.startDate !== undefined && { StartDate: seconds(schedule.startDate) }),
  ...(schedule.endDate !== undefined && { EndDate: seconds(schedule.endDate) }),
  ...defined({ Description: schedule.description }),
  FlexibleTimeWindow: schedule.flexibleTimeWindow,
  Target: schedule.target,
  ActionAfterCompletion: schedule.actionAfterCompletion,
  CreationDate: seconds(schedule.createdAt),
  LastModificationDate: seconds(schedule.modifiedAt),
})

/** Entry of ListSchedules. */
export const summarizeSchedule = (schedule: Schedule): object => ({
  Arn: arnOf(schedule),
  GroupName: schedule.group,
  Name: schedule.name,
  State: schedule.state,
  CreationDate: seconds(schedule.createdAt),
  LastModificationDate: seconds(schedule.modifiedAt),
  Target: { Arn: schedule.target.Arn },
})

export const describeGroup = ({ name, createdAt, modifiedAt }: ScheduleGroup): object => ({
  Arn: groupArnOf(name),
  Name: name,
  State: 'ACTIVE',
  CreationDate: seconds(createdAt),
  LastModificationDate: seconds(modifiedAt),
})
