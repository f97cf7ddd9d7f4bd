import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'
import { AnyReport } from './model.ts'
import { entity } from '../../store/entity.ts'
import type { Family } from '../../store/layout.ts'
import { numbered, type NumberedRow } from '../../store/numbered.ts'
import { extended, object } from '../../base/lazy-fields.ts'
import { GENERATION_FIELDS, type JobFlow } from '../engine/generation.ts'
import { TURN_FIELDS } from '../engine/turn.ts'

/** A place that a report covers, as it was when the report was created. */
const ReportContainer = object(() => ({
  /** id of our record, which decides who may see it */
  id: z.string(),
  /** as in `detailed_status`; unique within a report */
  name: z.string(),
  /** as in the report's list of containers */
  listed: z.string(),
  /** within the container: a region */
  place: z.string(),
  /** the log to read, if the body names one */
  source: z.string().optional(),
}))
export type ReportContainer = z.infer<typeof ReportContainer>

const StoredReport = extended(AnyReport.omit({ detailed_status: true }), () => ({
  containers: z.array(ReportContainer),
  /** after its end: the outcome and the number of rows of each container */
  outcomes: z.array(z.object({ status: z.string(), count: z.int() })).optional(),
  /** key in the object store of the text to download, if that is too long for a response */
  object: z.string().optional(),
  ...GENERATION_FIELDS,
}))
export type StoredReport = z.infer<typeof StoredReport>

export const reportsOf = (cloud: string): string => `cloud:${cloud}`
const runningOn = (container: string): string => `running:${container}`

/**
 * Reads served: a report by id; all reports of a cloud; whether one is under way on a container; reports without a
 * heartbeat, and reports past their retention. Names are unique within a cloud.
 */
export const reports = entity({
  name: 'report',
  schema: StoredReport,
  id: ({ id }) => id,
  unique: ({ cloud_name, name }) => ({ name: [`${cloud_name} ${name}`] }),
  sets: ({ cloud_name }) => [reportsOf(cloud_name)],
  families: ({ id, overall_status, containers }): Family[] =>
    overall_status !== 'in_progress'
      ? []
      : [...new Set(containers.map((each) => each.id))].map((container) => ({ name: runningOn(container), key: id })),
  row: ({ containers, ...report }) => ({
    id: report.id,
    name: report.name,
    report_type: report.report_type,
    overall_status: report.overall_status,
    completed_at: report.completed_at,
    container_ids: [...new Set(containers.map(({ id }) => id))],
    createdAt: report.createdAt,
    updatedAt: report.updatedAt,
  }),
  due: ({ overall_status, dueAt }) => ({
    what: overall_status === 'in_progress' ? 'resume-report' : 'forget-report',
    at: dueAt,
  }),
})

export const REPORT_FLOW: JobFlow<StoredReport> = {
  flow: 'build-report',
  input: (domain, { id, generation }) => ({ domain, report: id, generation }),
}

/** Whether a report is under way on a container. One read. */
export const isReportedOn = async (domain: string, container: string): Promise<boolean> =>
  (await reports.membersAfter(domain, runningOn(container), undefined, 1)).length > 0

/**
 * `cut`: it has more rows than a report may have; the first ones are shown. `going`: its report was deleted, and its
 * rows are being removed, from the end.
 */
export const PART_PHASES = ['open', 'done', 'cut', 'failed', 'going'] as const

const StoredPart = object(() => ({
  /** `<report>-<number of the container>` */
  id: z.string(),
  phase: z.enum(PART_PHASES),
  /** the cloud's own cursor, or the last key read: where the next page begins */
  cursor: z.string().optional(),
  /** rows written, up to `cursor`: the number of the next one */
  count: z.int(),
  /**
   * most rows it ever had: rows of a first try may remain beyond the count; in phase `going`, the rows that may be left
   */
  reached: z.int(),
  /** why it failed */
  message: z.string().optional(),
  ...TURN_FIELDS,
  /** whether it was restarted because the cloud no longer knew the cursor */
  isSecondTry: z.boolean(),
}))
export type StoredReportPart = z.infer<typeof StoredPart>

/** Reads served: parts by id. They are removed with their report. */
export const reportParts = entity({
  name: 'report-part',
  schema: StoredPart,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
})

export const partIds = ({ id, containers }: Pick<StoredReport, 'id' | 'containers'>): string[] =>
  containers.map((_, at) => `${id}-${at}`)

/** One line of a report: the fields of its cloud's content records, without those common to resources. */
export type ContentRow = NumberedRow

/** The rows of a part, by its id. Kept as long as their report. */
export const contentRows = numbered('report-content')

/** Object key of a report's text, if that was too long for a response. */
export const textOf = (domain: string, id: string): string => `reports/${domain}/${id}.csv`

/** The remains of a removed report: its parts, rows and text, cleared away by the sweeper. */
const StoredRemains = object(() => ({
  id: z.string(),
  parts: z.array(z.string()),
  dueAt: Time,
}))

/** The remains of a report that is deleted now. */
export const remainsOf = (report: StoredReport, now: Date): z.infer<typeof StoredRemains> => ({
  id: report.id,
  parts: partIds(report),
  dueAt: now.toISOString(),
})

/** Reads served: by id of the report; remains to clear away. */
export const reportRemains = entity({
  name: 'report-remains',
  schema: StoredRemains,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  due: ({ dueAt }) => ({ what: 'clear-report', at: dueAt }),
})
