import type { DeliveredLine } from '../audit/line-reader.ts'
import type { DescribedProtocol } from './described.ts'
import type { AuditLine } from '../serving/access-log.ts'
import type { StrayCalls } from '../serving/stray-calls.ts'
import type { SealedKind } from '../keyring/sealed-rows.ts'
import type { PurgeStep } from '../store/remove-some.ts'
import type { KeyUser } from '../vault/keys/lifecycle/key-users.ts'
import type { AnyRotated } from '../work/schedule/rotated.ts'

/** A route as the HTTP API names it: a method, or any, and a path. A segment in braces stands for any one segment. */
export type SingleRoute = `${'POST' | 'ANY'} /${string}`

/** Paths of a function, `/api` included. */
export interface GroupHttp {
  readonly prefixes: readonly string[]
  readonly calls?: readonly SingleRoute[]
}

/**
 * The row of a protocol: its facts for the rooms that name no protocol. Rows are light: they load no schema, SDK or
 * verb.
 */
export interface Protocol {
  /** `service` of its audit records */
  readonly name: string
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
  /** keeps what marked lines tell beside the audit; may be told the same twice */
  readonly keepUses?: () => Promise<(lines: readonly DeliveredLine[]) => Promise<void>>
  /** environment variables that a user may set for its functions, each with its meaning as a sentence goes on from the name */
  readonly settings?: Readonly<Record<string, string>>
  /** its uses of local keys, which follow new versions */
  readonly keyUser?: () => Promise<KeyUser>
  /** name of its keys in configurations that rotate keys: their `cloud_name` */
  readonly rotatedAs?: string
  /** how such configurations rotate the keys of its endpoints */
  readonly rotate?: () => Promise<AnyRotated>
  /** Sealed values, by the names under which a domain key notes how far sealing again has come. */
  readonly sealed?: Readonly<Record<string, () => Promise<SealedKind>>>
  /** removes its records of a deleted domain, before the domain's keys */
  readonly purge?: () => Promise<readonly PurgeStep[]>
}

export const defineProtocol = <const Row extends Protocol>(row: Row): Row => row
