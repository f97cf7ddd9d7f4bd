import * as z from 'zod'
import { CLOUD_A_NAMES } from '../../clouds/cloud-a/keys/model.ts'
import { Region } from '../../clouds/cloud-a/kms/model.ts'
import { Name, NameOrId, Resource, Time, Uuid } from '../../http/common-fields.ts'
import { anyOf, anyText, flag, listQuery } from '../../http/list-query.ts'
import { withRules, type Rule } from '../../http/rules.ts'

/** `key-report`: what was done with keys, from the cloud's own logs. `key-aging`: how old they are, from our records. */
export const REPORT_TYPES = ['key-report', 'key-aging'] as const
export type ReportType = (typeof REPORT_TYPES)[number]
export const REPORT_STATUSES = ['in_progress', 'completed', 'failed'] as const

/** Fields of the reports of every cloud; the containers stand under each cloud's own name (`kms`). */
const Report = Resource.extend({
  name: z.string(),
  cloud_name: z.string(),
  report_type: z.enum(REPORT_TYPES),
  overall_status: z.enum(REPORT_STATUSES),
  detailed_status: z
    .record(z.string(), z.string())
    .meta({ description: 'by container: in_progress, completed, or why it failed' }),
  abort: z.boolean(),
  start_time: Time,
  end_time: Time,
  completed_at: Time.optional(),
})

/** What is the same in the reports of all clouds. */
export const AnyReport = Report
export type AnyReport = z.infer<typeof Report>

/** Where a key's material is from: ours, made by the cloud, or imported there by somebody else. */
export const ORIGINS = { keymgr: 'keymgr', native: 'Native', unknown: 'External (Unknown)' } as const

/** Fields of the content records of every cloud. */
const Content = Resource.extend({
  key_name: z.string(),
  region: z.string(),
  cloud_name: z.string(),
  key_activity: z.string(),
  modified_time: Time,
  key_expiration: Time.nullable(),
  user_name: z.string(),
  origin: z.string().nullable().meta({ description: 'null for a key that is not on record' }),
  keymgr_operation: z.boolean().meta({ description: 'whether this service did it' }),
  error_code: z.string().optional().meta({ description: "the cloud's own, where what was tried was refused" }),
})

const isTime = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value))

const inOrder: Rule = {
  message: 'start_time must be before end_time',
  field: 'start_time',
  broken: ({ start_time: from, end_time: to }) => isTime(from) && isTime(to) && Date.parse(from) >= Date.parse(to),
}

const asked = {
  name: Name,
  report_type: z.enum(REPORT_TYPES).default('key-report'),
  start_time: Time.optional().meta({ description: '24 hours before end_time without it' }),
  end_time: Time.optional().meta({ description: 'now without it' }),
}
/** What every cloud's body says of the report itself. */
export interface ReportWishes {
  readonly name: string
  readonly report_type: ReportType
  readonly start_time?: string | undefined
  readonly end_time?: string | undefined
}

/** Ours: places of one report; its record names them all. */
export const CONTAINERS_MOST = 50

export const ReportPath = z.strictObject({ id: Uuid })

const SORTS = ['createdAt', 'updatedAt', 'name', 'report_type', 'overall_status', 'completed_at']
/** Ours: the status under way in both of its spellings. */
export const ReportQuery = listQuery(SORTS, {
  id: anyText().optional(),
  overall_status: anyOf([...REPORT_STATUSES, 'in progress']).optional(),
  name: anyText().optional(),
  report_type: anyOf(REPORT_TYPES).optional(),
})
export type ReportQuery = z.infer<typeof ReportQuery>

const CONTENT_SORTS = [
  'createdAt',
  'key_name',
  'region',
  'key_activity',
  'modified_time',
  'key_expiration',
  'user_name',
]

// Cloud-a

const LogGroup = z
  .string()
  .max(512)
  .regex(/^[\w./#-]+$/, { error: 'must be the name of a log group' })

export const CreateCloudAReport = withRules(
  z.strictObject({
    ...asked,
    cloud_a_params: z
      .array(
        z.strictObject({
          kms: NameOrId,
          region: Region.optional().meta({ description: 'every region of the entry without it' }),
          log_group: LogGroup.optional().meta({ description: 'that the trail writes to; key-report needs it' }),
        }),
      )
      .min(1)
      .max(CONTAINERS_MOST),
  }),
  inOrder,
)
export type CreateCloudAReport = z.infer<typeof CreateCloudAReport>

export const CloudAReport = Report.extend({ kms: z.array(z.string()).meta({ description: 'names of the entries' }) })

export const CloudAContent = Content.extend({ kms: z.string(), key_arn: z.string(), account_id: z.string() })

export const CloudAContentQuery = listQuery([...CONTENT_SORTS, 'kms', 'key_arn', 'account_id', 'origin'], {
  key_name: anyText().optional(),
  kms: anyText().optional(),
  key_arn: anyText().optional(),
  region: anyText().optional(),
  account_id: anyText().optional(),
  cloud_name: anyOf(CLOUD_A_NAMES).optional(),
  key_activity: anyText().optional(),
  user_name: anyText().optional(),
  origin: anyText().optional(),
  keymgr_operation: flag().optional(),
})

// Cloud-c

export const CreateCloudCReport = withRules(
  z.strictObject({
    ...asked,
    cloud_c_params: z
      .array(z.strictObject({ key_ring: NameOrId.meta({ description: 'full name or id of the ring' }) }))
      .min(1)
      .max(CONTAINERS_MOST),
  }),
  inOrder,
)
export type CreateCloudCReport = z.infer<typeof CreateCloudCReport>

export const CloudCReport = Report.extend({
  key_rings: z.array(z.string()).meta({ description: 'full names of the rings' }),
})

/** A call about a ring as a whole has no name of a key. */
export const CloudCContent = Content.extend({
  key_ring: z.string(),
  project: z.string(),
  organization: z.string().optional(),
})

export const CloudCContentQuery = listQuery([...CONTENT_SORTS, 'key_ring', 'project', 'organization', 'origin'], {
  key_name: anyText().optional(),
  key_ring: anyText().optional(),
  project: anyText().optional(),
  region: anyText().optional(),
  organization: anyText().optional(),
  key_activity: anyText().optional(),
  user_name: anyText().optional(),
  origin: anyText().optional(),
  keymgr_operation: flag().optional(),
})
