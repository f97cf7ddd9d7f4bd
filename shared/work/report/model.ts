import * as z from 'zod'
import { column, Name, Resource, Time, Uuid } from '../../http/common-fields.ts'
import { anyOf, anyPattern, anyPatterns, anyText, anyTexts, flag, listQuery } from '../../http/lists/list-query.ts'
import { withRules, type Rule } from '../../http/rules.ts'
import { extended, strictObject } from '../../base/lazy-fields.ts'

/**
 * `key-report`: use of keys, from the cloud's own logs. `key-aging`: ages of keys, from our records. Ours:
 * `service-report`: calls to this service on the keys, from our audit records; `reconciliation-report`: our records
 * compared with the cloud as it is now.
 */
export const REPORT_TYPES = ['key-report', 'key-aging', 'service-report', 'reconciliation-report'] as const
export type ReportType = (typeof REPORT_TYPES)[number]
export const REPORT_STATUSES = ['in_progress', 'completed', 'failed'] as const

/** Fields of the reports of every cloud; each cloud lists the containers under its own field name (`kms`). */
const Report = extended(Resource, () => ({
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
}))

/** Fields common to the reports of all clouds. */
export const AnyReport = Report
export type AnyReport = z.infer<typeof Report>

/** Origin of a key's material: ours, the cloud's, or imported there by another system. */
export const ORIGINS = { keymgr: 'keymgr', native: 'Native', unknown: 'External (Unknown)' } as const

/** Fields of the content records of every cloud. */
const Content = extended(Resource, () => ({
  key_name: z.string(),
  region: z.string(),
  cloud_name: z.string(),
  key_activity: z.string(),
  modified_time: Time,
  key_expiration: Time.nullable(),
  user_name: z.string(),
  origin: z.string().nullable().meta({ description: 'null for a key that is not on record' }),
  keymgr_operation: z.boolean().meta({ description: 'whether this service did it' }),
  error_code: z.string().optional().meta({
    description: "the cloud's own code of a refusal; `failed` for a failed call to this service",
  }),
}))

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
/** Fields about the report itself in every cloud's body. */
export interface ReportWishes {
  readonly name: string
  readonly report_type: ReportType
  readonly start_time?: string | undefined
  readonly end_time?: string | undefined
}

/** Ours: the most places of one report; its record names them all. */
export const CONTAINERS_MOST = 50

export const ReportPath = z.strictObject({ id: Uuid })

/** Ours: the filter accepts both spellings of the status "under way". */
export const ReportQuery = listQuery(Report, () => ({
  id: anyText().optional(),
  overall_status: anyOf([...REPORT_STATUSES, 'in progress']).optional(),
  name: anyPattern().optional(),
  report_type: anyOf(REPORT_TYPES).optional(),
}))
export type ReportQuery = z.infer<typeof ReportQuery>

const CONTENT_FILTERS = {
  ...anyPatterns('key_name'),
  ...anyTexts('region', 'key_activity', 'user_name', 'origin'),
  keymgr_operation: flag().optional(),
}

/** Differences between the reports of the clouds. */
interface ReportKind<F extends string, P extends z.ZodType> {
  /** field of the body that lists the places, and the schema of one place */
  readonly params: { readonly field: F; readonly schema: P }
  /** field under which a report lists its containers */
  readonly containerList: { readonly field: string; readonly description: string }
  /** content fields of this cloud, besides the common ones; contents can be sorted and filtered by them */
  readonly content: z.ZodRawShape
  readonly filters?: z.ZodRawShape
}

/** Schemas of the reports of one cloud. */
export function reportSchemas<const F extends string, P extends z.ZodType>({
  params,
  containerList,
  content,
  filters,
}: ReportKind<F, P>) {
  const own = Object.keys(content)
  const create = withRules(
    strictObject(() => ({ ...asked, [params.field]: z.array(params.schema).min(1).max(CONTAINERS_MOST) })),
    inOrder,
  )
  const report = extended(Report, () => ({
    [containerList.field]: z.array(z.string()).meta({ ...column('container'), description: containerList.description }),
  }))
  const contents = Content.extend(content)
  return {
    create: create as unknown as z.ZodType<ReportWishes & Record<F, z.output<P>[]>>, // a computed key is any key to zod
    report: report as unknown as z.ZodType<AnyReport>,
    content: contents,
    contentQuery: listQuery(contents, () => ({
      ...CONTENT_FILTERS,
      ...Object.fromEntries(own.map((field) => [field, anyText().optional()])),
      ...filters,
    })),
  }
}
