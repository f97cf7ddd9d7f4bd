import type * as z from 'zod'
import type { Caller, Context } from '../../http/context.ts'
import type { ReportWishes } from './model.ts'
import type { ListQuery } from '../../http/list-query.ts'
import type { ContentRow, ReportContainer, StoredReport } from './store.ts'

/** One line of a report. */
export interface Entry {
  /** The same when the source has it twice. */
  readonly id: string
  readonly row: ContentRow
}

/** Some entries of a container; perhaps none, with others to follow. */
export interface EntryPage {
  readonly entries: readonly Entry[]
  /** where the next one begins; `undefined` at the end */
  readonly next: string | undefined
}

/** A container of a report, opened for reading its entries. */
export interface OpenContainer {
  /**
   * At most `ROWS_A_PAGE` entries, in the order of the source. The same cursor again gives the same page.
   * @throws Refusal CLOUD_INVALID for a cursor that the source no longer knows
   */
  page(cursor: string | undefined): Promise<EntryPage>
}

/** Entries of one page at the most: as many are in memory, and may be written beyond the count when a turn stops. */
export const ROWS_A_PAGE = 1_000

/** Rows of one report. */
export const ROWS_MOST = 100_000

/** A column of the text to download: its header, and the field that stands there. */
export type Column = readonly [header: string, field: string]

/** The query of a contents list: its window and order, and filters by the names of the fields they look at. */
export type ContentQuery = ListQuery & Readonly<Record<string, unknown>>

/** The reports of one cloud. A new cloud is a new row. */
export interface Reported<Body extends ReportWishes> {
  /** as paths and records have it */
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
   * The places that a body names, no two by the same name, in which the caller may have reports made.
   * @throws Refusal NOT_FOUND naming the field, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT
   */
  readonly named: (context: Context, body: Body) => Promise<ReportContainer[]>
  /** Ids of the containers in which a caller, who is no administrator, may do something. */
  readonly containersWith: (caller: Caller, action: ReportAction) => Promise<ReadonlySet<string>>
  /** @throws Refusal, by which the container fails: it is gone, archived, without connection, or has no source of activity */
  readonly open: (
    domain: string,
    container: ReportContainer,
    report: StoredReport,
    when: { readonly now: Date; readonly budget: AbortSignal },
  ) => Promise<OpenContainer>
}

/** Actions that a container permits. */
export type ReportAction = 'reportview' | 'reportcreate' | 'reportdelete' | 'reportdownload'

// Rows differ in their bodies; each is only ever handed its own.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyReported = Reported<any>
