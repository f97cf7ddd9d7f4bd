import * as z from 'zod'
import { DAY_MS, later } from '../../base/time.ts'
import { expiring, type SweepRow } from '../../store/due.ts'
import { entity } from '../../store/entity.ts'
import { removing, type PurgeStep } from '../../store/remove-some.ts'
import { extended, object } from '../../base/lazy-fields.ts'
import { Alarm, AlarmConfig } from './model.ts'

const StoredRule = extended(AlarmConfig, () => ({ builtin: z.literal(false).default(false) })).required({
  condition: true,
})
export type StoredRule = z.infer<typeof StoredRule>

/** Supported reads: a rule by id; those of a domain, oldest first. */
export const alarmRules = entity({
  name: 'alarm-rule',
  schema: StoredRule,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ name }) => ({ name }),
})

const BuiltinSetting = AlarmConfig.pick({ id: true, severity: true, enabled: true, updatedAt: true })
export type BuiltinSetting = z.infer<typeof BuiltinSetting>

/** Supported reads: a domain's changes of a built-in rule, by the rule's id. */
export const builtinSettings = entity({
  name: 'alarm-builtin-setting',
  schema: BuiltinSetting,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
})

/** Ours: an alarm that is off is kept for the default retention of audit records. */
const OFF_KEPT_MS = 90 * DAY_MS
const EXPIRE = 'expire-alarm'

/** Supported reads: an alarm by id; the alarms of a domain, newest first; those that are on. */
export const alarms = entity({
  name: 'alarm',
  schema: Alarm,
  id: ({ id }) => id,
  sets: ({ state }) => (state === 'on' ? ['all', 'on'] : ['all']),
  row: ({ createdAt, name, severity, state, source }) => ({ createdAt, name, severity, state, source }),
  due: ({ clearedAt }) =>
    clearedAt === undefined ? undefined : { what: EXPIRE, at: later(new Date(clearedAt), OFF_KEPT_MS).toISOString() },
})

export const ALARM_SWEEPS: readonly SweepRow[] = [expiring(EXPIRE, alarms)]

const Window = object(() => ({
  rule: z.string(),
  /** revision of the rule, as a time: a changed rule counts from zero */
  since: z.string(),
  /** the subject for which a rule counts separately */
  subject: z.string(),
  /** times of records that met the condition, in milliseconds since 1970 */
  times: z.array(z.number()),
}))
/** The count of a rule. */
export type Window = z.infer<typeof Window>

/** Also the id of the log, so that one read gets both. */
export const ONLY = 'log'

const AlarmCursor = object(() => ({
  id: z.literal(ONLY),
  /** position of the next record to evaluate */
  position: z.int(),
  windows: z.array(Window),
  /** alarms that are on according to the evaluation, by rule */
  on: z.record(z.string(), z.string()),
}))
export type AlarmCursor = z.infer<typeof AlarmCursor>

/** Supported reads: the evaluation's progress in the log of a domain. */
export const alarmCursors = entity({
  name: 'alarm-cursor',
  schema: AlarmCursor,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
})

/** Removes the alarms of a deleted domain. */
export const ALARM_PURGE: readonly PurgeStep[] = [
  removing(alarmRules, 'all'),
  removing(builtinSettings, 'all'),
  removing(alarms, 'all'),
  removing(alarmCursors, 'all'),
]
