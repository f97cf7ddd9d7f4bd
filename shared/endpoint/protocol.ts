import type { RoomRow } from '../base/room.ts'
import type { DescribedProtocol } from './described.ts'
import type { AuditLine } from '../serving/access-log.ts'
import type { StrayCalls } from '../serving/stray-calls.ts'
import type { WorkRow } from '../work/work-row.ts'

/** A route in the HTTP API: a method, or any, and a path. A segment in braces matches any one segment, or with `+` all that follow. */
export type SingleRoute = `${'POST' | 'ANY'} /${string}`

/** Paths of a function, `/api` included. */
export interface GroupHttp {
  readonly prefixes: readonly string[]
  readonly calls?: readonly SingleRoute[]
}

/** The row of a protocol; its name is the `service` in its audit records. */
export interface Protocol extends RoomRow {
  /** its description and owner, for the API description */
  readonly title: string
  /** the calls of its data plane, only for the API description */
  readonly described: () => Promise<DescribedProtocol>
  /** name of its data plane's function, whose log lines become audit records */
  readonly dataPlane: string
  /** route of the data plane, its time limit, and the milliseconds after which callers report an error or time out */
  readonly dataPlaneHttp: GroupHttp & { readonly timeoutSeconds: number; readonly budgetMs: number }
  /** whether its data plane keeps state between two calls of one caller (`shared/serving/session-rows.ts`) */
  readonly keepsSessions?: true
  /** the HTTP group that manages its endpoints; absent when a cloud's group does */
  readonly management?: GroupHttp & { readonly group: string }
  /** parses an access-log line of the data plane */
  readonly auditLine: AuditLine
  /** answers requests to unknown paths under the protocol's prefix */
  readonly strayCalls?: StrayCalls
  /**
   * environment variables that a user may set for its functions, each with the rest of a sentence that begins with its
   * name
   */
  readonly settings?: Readonly<Record<string, string>>
  /** `cloud_name` of its keys in configurations that rotate keys */
  readonly rotatedAs?: string
  /** the cloud whose configurations rotate its keys too, if they have no `cloud_name` of their own */
  readonly rotatedWith?: string
}

/** A protocol. Lines of its data plane's log become audit records, which have its fields. */
export const defineProtocol = <const Row extends Protocol>(row: Row): Row => ({
  ...row,
  lineReader: row.auditLine.read,
  auditDetails: row.auditLine.details,
})

/** Keys of endpoints have at most an expiry, so configurations cannot select them by age. */
const ENDPOINT_ROTATION = { byAge: false, byExpiry: true } as const

/** The work rows of the keys of a protocol's endpoints. */
export function workRowsOf({ name: own, rotatedAs: name, rotatedWith, rotate }: Protocol): WorkRow[] {
  if (rotate === undefined) return []
  if (rotatedWith !== undefined) return [{ name: own, isOffered: true, rotatedWith, rotate }]
  return name === undefined ? [] : [{ name, isOffered: true, rotation: ENDPOINT_ROTATION, rotate }]
}
