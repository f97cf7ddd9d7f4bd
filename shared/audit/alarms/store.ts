import * as z from 'zod'
import { DAY_MS, later } from '../../base/time.ts'
import { expiring, type SweepRow } from '../../store/due.ts'
import { entity } from '../../store/entity.ts'
import { removing, type PurgeStep } from '../../store/remove-some.ts'
import { Alarm, AlarmConfig } from './model.ts'

const StoredRule = AlarmConfig.extend({ builtin: z.literal(false).default(false) }).required({ condition: true })
export type StoredRule = z.infer<typeof StoredRule>

/** Reads served: a rule by id; those of a domain, oldest first. */
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

/** Reads served: the changes that a domain made to a built-in rule, by the rule's id. */
export const builtinSettings = entity({
  name: 'alarm-builtin-setting',
  schema: BuiltinSetting,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
})

/** Ours: an alarm that is off is kept as long as audit records usually are. */
const OFF_KEPT_MS = 90 * DAY_MS
const EXPIRE = 'expire-alarm'

/** Reads served: an alarm by id; the alarms of a domain, newest first; those that are on. */
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

const Window = z.object({
  rule: z.string(),
  /** revision of the rule in time: a changed rule counts anew */
  since: z.string(),
  /** what a rule that counts for each subject alone counts for */
  subject: z.string(),
  /** of records that met the condition, in milliseconds since 1970 */
  times: z.array(z.number()),
})
/** How far a rule has counted. */
export type Window = z.infer<typeof Window>

/** The id of the log as well, so that one read gets both. */
export const ONLY = 'log'

const AlarmCursor = z.object({
  id: z.literal(ONLY),
  /** of the next record to look at */
  position: z.int(),
  windows: z.array(Window),
  /** alarms that are on as far as the evaluation knows, by rule */
  on: z.record(z.string(), z.string()),
})
export type AlarmCursor = z.infer<typeof AlarmCursor>

/** Reads served: how far the alarms of a domain have read its log. */
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
