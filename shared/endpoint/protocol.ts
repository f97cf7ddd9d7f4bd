import type { RoomRow } from '../base/room.ts'
import type { DescribedProtocol } from './described.ts'
import type { AuditLine } from '../serving/access-log.ts'
import type { StrayCalls } from '../serving/stray-calls.ts'
import type { WorkRow } from '../work/work-row.ts'

/** A route as the HTTP API names it: a method, or any, and a path. A segment in braces stands for any one segment. */
export type SingleRoute = `${'POST' | 'ANY'} /${string}`

/** Paths of a function, `/api` included. */
export interface GroupHttp {
  readonly prefixes: readonly string[]
  readonly calls?: readonly SingleRoute[]
}

/** The row of a protocol; its name is the `service` of its audit records. */
export interface Protocol extends RoomRow {
  /** what it is, and whose, in the API description */
  readonly title: string
  /** the calls of its data plane, for the API description alone */
  readonly described: () => Promise<DescribedProtocol>
  /** function of its data plane; log lines of this function become audit records */
  readonly dataPlane: string
  /** route of the data plane, its time limit, and the milliseconds after which its callers complain or give up */
  readonly dataPlaneHttp: GroupHttp & { readonly timeoutSeconds: number; readonly budgetMs: number }
  /** the HTTP group that manages its endpoints; absent when a cloud's group does */
  readonly management?: GroupHttp & { readonly group: string }
  /** reads an access-log line of the data plane */
  readonly auditLine: AuditLine
  /** answers its calls at addresses that are none of its data plane */
  readonly strayCalls?: StrayCalls
  /** environment variables that a user may set for its functions, each with its meaning as a sentence goes on from the name */
  readonly settings?: Readonly<Record<string, string>>
  /** name of its keys in configurations that rotate keys: their `cloud_name` */
  readonly rotatedAs?: string
}

/** A protocol; lines of its data plane's log become audit records, which have its fields. */
export const defineProtocol = <const Row extends Protocol>(row: Row): Row => ({
  ...row,
  lineReader: row.auditLine.read,
  auditDetails: row.auditLine.details,
})

/** Keys of endpoints have an end of their own at most, so that configurations choose none of them by age. */
const ENDPOINT_ROTATION = { byAge: false, byExpiry: true } as const

/** The keys of a protocol's endpoints, as job configurations know them. */
export const workRowsOf = ({ rotatedAs: name, rotate }: Protocol): WorkRow[] =>
  name === undefined || rotate === undefined ? [] : [{ name, isOffered: true, rotation: ENDPOINT_ROTATION, rotate }]
