import type * as z from 'zod'
import { Refusal } from '../base/errors.ts'
import { extensionPoint } from '../base/extension-point.ts'
import type { BulkRow } from './bulk/bulk-row.ts'
import type { AnyReported } from './report/reported.ts'
import type { AnySagaKind } from './sagas/saga.ts'
import type { Operation } from './schedule/operation.ts'
import type { AnyRotated } from './schedule/rotated.ts'
import type { AnySynchronized } from './synchronize/synchronized.ts'

/** Loaded when first called, so that a function pays only for what it serves. */
export type Load<T> = () => Promise<T>

/** A parameter object that rotation configurations have for one kind of key alone, such as `cloud_a_param`. */
export interface RotationParam {
  readonly field: string
  readonly schema: () => z.ZodType<object>
}

/** An operation of job configurations that one cloud alone has. */
export interface JobOperationRow {
  readonly name: string
  readonly description: string
  /** of its audit records */
  readonly summary: string
  /** field and schema of its parameters */
  readonly params: { readonly field: string; readonly schema: () => z.ZodType<object> }
  readonly load: Load<JobVerbs>
}

/** Verbs of such an operation. */
export interface JobVerbs extends Pick<Operation, 'check' | 'find' | 'act'> {
  /** whether something joined the configuration, which then stays */
  readonly hasAttached: (domain: string, config: string) => Promise<boolean>
}

/** What long work needs to know of keys outside this service: of a cloud's, or of those behind a protocol. */
export interface WorkRow {
  readonly name: string
  /** false: the name is known, and refused as not offered yet */
  readonly isOffered: boolean
  /** Field under which bodies and records list its containers; absent where no container is synchronized. */
  readonly containerList?: string
  /** What a synchronization job can be limited to (`sync_item`); such a job must say it. */
  readonly syncItems?: readonly string[]
  /** How job configurations rotate its keys; absent when they cannot. */
  readonly rotation?: {
    readonly param?: RotationParam
    /** whether keys are chosen by `rotation_after` and by `expire_in` */
    readonly byAge: boolean
    readonly byExpiry: boolean
  }
  /** What is synchronized: the keys under '', anything else under a name of its own. */
  readonly synchronize?: Readonly<Record<string, Load<AnySynchronized>>>
  readonly report?: Load<AnyReported>
  readonly rotate?: Load<AnyRotated>
  readonly sagas?: Load<readonly AnySagaKind[]>
  readonly bulk?: Load<Readonly<Record<string, BulkRow>>>
  readonly jobOperations?: readonly JobOperationRow[]
}

/** Filled with every cloud, and with every protocol whose keys are rotated. */
export const workRows = extensionPoint<WorkRow>('Clouds')

export const workRowNamed = (name: string): WorkRow | undefined => workRows.rows().find((row) => row.name === name)

/** Field under which the containers of a cloud are listed. @throws Error, a fault, for a cloud that has none */
export function containerListOf(name: string): string {
  const list = workRowNamed(name)?.containerList
  if (list === undefined) throw new Error(`${name} has no containers`)
  return list
}

/** @throws Refusal NOT_SUPPORTED, naming it, for what is not offered yet */
export function assertOffered(name: string): void {
  if (workRowNamed(name)?.isOffered !== true) throw new Refusal('NOT_SUPPORTED', `${name} is not offered yet.`)
}
