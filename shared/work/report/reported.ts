import type * as z from 'zod'
import type { Caller, Context } from '../../http/context.ts'
import type { ReportWishes } from './model.ts'
import type { ListQuery } from '../../http/lists/list-query.ts'
import type { ContentRow, ReportContainer, StoredReport } from './store.ts'

/** One line of a report. */
export interface Entry {
  /** Equal for duplicates of an entry in the source. */
  readonly id: string
  readonly row: ContentRow
}

/** Some entries of a container; may be empty although more follow. */
export interface EntryPage {
  readonly entries: readonly Entry[]
  /** cursor of the next page; `undefined` at the end */
  readonly next: string | undefined
}

/** A container of a report, opened for reading its entries. */
export interface OpenContainer {
  /**
   * At most `ROWS_A_PAGE` entries, in the order of the source. The same cursor returns the same page.
   * @throws Refusal CLOUD_INVALID for a cursor that the source no longer knows
   */
  page(cursor: string | undefined): Promise<EntryPage>
}

/** Most entries of one page: they are in memory together, and may be written but not counted when a turn stops. */
export const ROWS_A_PAGE = 1_000

/** Most rows of one report. */
export const ROWS_MOST = 100_000

/** A column of the text to download: its header and its field. */
export type Column = readonly [header: string, field: string]

/** The query of a contents list: page, order, and filters named like the fields that they match. */
export type ContentQuery = ListQuery & Readonly<Record<string, unknown>>

/** The reports of one cloud. A new cloud is a new row. */
export interface Reported<Body extends ReportWishes> {
  /** the cloud's name in paths and records */
  readonly cloud: string
  /** the field by which a report lists its containers */
  readonly listedAs: string
  readonly schemas: {
    readonly create: z.ZodType<Body>
    readonly report: z.ZodType
    readonly content: z.ZodType
    readonly contentQuery: z.ZodType<ContentQuery>
  }
  /** Columns of the text to download. */
  readonly columns: readonly Column[]
  /**
   * The places that a body names, with unique names, in which the caller may create reports.
   * @throws Refusal NOT_FOUND naming the field, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT
   */
  readonly named: (context: Context, body: Body) => Promise<ReportContainer[]>
  /** Ids of the containers in which a caller who is not an administrator may perform an action. */
  readonly containersWith: (caller: Caller, action: ReportAction) => Promise<ReadonlySet<string>>
  /**
   * @throws Refusal, which fails the container: deleted, archived, without a connection, or without a source of
   * activity
   */
  readonly open: (
    domain: string,
    container: ReportContainer,
    report: StoredReport,
    when: { readonly now: Date; readonly budget: AbortSignal },
  ) => Promise<OpenContainer>
}

/** Actions that a container permits. */
export type ReportAction = 'reportview' | 'reportcreate' | 'reportdelete' | 'reportdownload'

// Rows differ in their bodies; each one receives only its own.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyReported = Reported<any>
