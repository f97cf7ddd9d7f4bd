import * as z from 'zod'
import { FreeText, Name, Resource, Time } from '../../http/common-fields.ts'
import { anyOf, anyPatterns, anyTexts, flag, listQuery } from '../../http/lists/list-query.ts'
import { extended, object, strictObject } from '../../base/lazy-fields.ts'

const SEVERITIES = ['critical', 'error', 'warning', 'info'] as const
const Severity = z.enum(SEVERITIES)

/** Ours: the limit of endpoints' policies. */
const CONDITION_BYTES = 65_536
const CONTROL = /[^\P{Cc}\t\n\r]/u

const Condition = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(text) <= CONDITION_BYTES, { error: `must have at most ${CONDITION_BYTES} bytes` })
  .refine((text) => !CONTROL.test(text), { error: 'must have no control characters other than tab, LF and CR' })
  .meta({
    description:
      'a Rego module (v1) that defines the complete rule alarm: the condition holds where it is true; input is the record, as GET /v1/audit/records/{id} shows it',
  })

/** Ours: the times of at most this many records are stored per rule. */
const THRESHOLD_MOST = 100
const INTERVAL_MOST_SECONDS = 30 * 86_400

const Threshold = z.int().min(1).max(THRESHOLD_MOST).meta({ description: 'records that turn the alarm on' })
const Interval = z
  .int()
  .min(1)
  .max(INTERVAL_MOST_SECONDS)
  .meta({ description: 'interval in seconds that must contain them, by createdAt' })

/**
 * Raises an alarm when enough audit records meet its condition. A built-in rule has no `condition`; its description
 * states it.
 */
export const AlarmConfig = extended(Resource, () => ({
  name: z.string(),
  description: z.string().optional(),
  severity: Severity,
  condition: z.string().optional(),
  threshold: z.int(),
  interval: z.int(),
  enabled: z.boolean(),
  builtin: z.boolean(),
  last_error: z
    .string()
    .optional()
    .meta({ description: 'reason why the rule was switched off; absent after it is enabled again or changed' }),
}))
export type AlarmConfig = z.infer<typeof AlarmConfig>

export const CreateAlarmConfig = strictObject(() => ({
  name: Name,
  description: FreeText.optional(),
  severity: Severity,
  condition: Condition,
  threshold: Threshold.default(1),
  interval: Interval.default(60),
  enabled: z.boolean().default(true),
}))
export type CreateAlarmConfig = z.infer<typeof CreateAlarmConfig>

/** Only `enabled` and `severity` of a built-in rule can be changed. */
export const UpdateAlarmConfig = strictObject(() => ({
  name: Name.optional(),
  description: FreeText.nullable().optional(),
  severity: Severity.optional(),
  condition: Condition.optional(),
  threshold: Threshold.optional(),
  interval: Interval.optional(),
  enabled: z.boolean().optional(),
}))
export type UpdateAlarmConfig = z.infer<typeof UpdateAlarmConfig>

export const AlarmConfigQuery = listQuery(AlarmConfig, () => ({
  ...anyPatterns('name'),
  severity: anyOf(SEVERITIES).optional(),
  enabled: flag().optional(),
  builtin: flag().optional(),
}))
export type AlarmConfigQuery = z.infer<typeof AlarmConfigQuery>

const STATES = ['on', 'off'] as const

/** Data of the last record that an alarm counted. */
const Details = object(() => ({
  record: z.string().meta({ description: 'id of the record' }),
  message: z.string(),
  success: z.boolean(),
  username: z.string(),
  resource_uri: z.string().optional(),
  resource_name: z.string().optional(),
  errorMessage: z.string().optional(),
}))

/** An alarm of a rule. At most one alarm of a rule is on; while it is on, it counts further occurrences. */
export const Alarm = extended(Resource, () => ({
  name: z.string().meta({ description: 'of the rule, when the alarm was turned on' }),
  description: z.string().optional(),
  severity: Severity,
  state: z.enum(STATES),
  rule_id: z.string(),
  count: z.int().meta({ description: 'records that met the condition, the first `threshold` included' }),
  triggeredAt: Time,
  lastAt: Time.meta({ description: 'createdAt of the last of them' }),
  clearedAt: Time.optional(),
  clearedBy: z.string().optional(),
  acknowledgedAt: Time.optional(),
  acknowledgedBy: z.string().optional(),
  source: z.string().meta({ description: 'service of the last record' }),
  details: Details,
}))
export type Alarm = z.infer<typeof Alarm>

export const AlarmQuery = listQuery(Alarm, () => ({
  state: anyOf(STATES).optional(),
  severity: anyOf(SEVERITIES).optional(),
  ...anyPatterns('name'),
  ...anyTexts('source'),
}))
export type AlarmQuery = z.infer<typeof AlarmQuery>
