import { Refusal } from '../base/errors.ts'
import { rooms, type Load, type RoomRow } from '../base/room.ts'
import type { BulkRow } from './bulk/bulk-row.ts'
import type { AnyReported } from './report/reported.ts'
import type { AnySagaKind } from './sagas/saga.ts'
import type { Discovered } from './schedule/discovery/discovered.ts'
import type { Operation } from './schedule/job-operations/operation.ts'
import type { AnyRotated } from './schedule/job-operations/rotated.ts'
import type { AnySynchronized } from './synchronize/synchronized.ts'
import type { Single } from '../http/decisions.ts'
import type { JobOperationFacts, WorkFacts } from './work-facts.ts'

declare module '../base/room.ts' {
  interface RoomRow extends Partial<Omit<WorkRow, 'name'>> {
    /** Absent if job configurations cannot use the row. */
    readonly isOffered?: boolean
  }
}

/** Verbs of an operation that only one cloud has. */
export interface JobVerbs extends Pick<Operation, 'check' | 'find' | 'act'> {
  /** whether any record joined the configuration, which then cannot be deleted */
  readonly hasAttached: (domain: string, config: string) => Promise<boolean>
}

export interface JobOperationRow extends JobOperationFacts {
  /** the single call that does the same to one record */
  readonly single: Single
  readonly load: Load<JobVerbs>
}

/** The verbs of long work on keys outside this service. */
export interface WorkRow extends WorkFacts {
  /** The synchronized resources: keys under '', other resources under their own names. */
  readonly synchronize?: Readonly<Record<string, Load<AnySynchronized>>>
  readonly report?: Load<AnyReported>
  readonly rotate?: Load<AnyRotated>
  /** the row whose configurations rotate the keys of this one too */
  readonly rotatedWith?: string
  /** finding containers and adding them */
  readonly discover?: Load<Discovered>
  readonly sagas?: Load<readonly AnySagaKind[]>
  readonly bulk?: Load<Readonly<Record<string, BulkRow>>>
  readonly jobOperations?: readonly JobOperationRow[]
}

const isWorkRow = (row: RoomRow): row is RoomRow & WorkRow => row.isOffered !== undefined

/** The rows of `workFacts`. */
export const workRows = (): readonly WorkRow[] => rooms().filter(isWorkRow)

export const workRowNamed = (name: string): WorkRow | undefined => workRows().find((row) => row.name === name)

/** @throws Refusal NOT_SUPPORTED, naming it, where work of this kind is not offered yet */
export function assertOffered(name: string, work: 'synchronize' | 'rotate'): void {
  if (workRowNamed(name)?.[work] === undefined) throw new Refusal('NOT_SUPPORTED', `${name} is not offered yet.`)
}
