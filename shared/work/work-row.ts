import { Refusal } from '../base/errors.ts'
import { extensionPoint } from '../base/extension-point.ts'
import type { BulkRow } from './bulk/bulk-row.ts'
import type { AnyReported } from './report/reported.ts'
import type { AnySagaKind } from './sagas/saga.ts'
import type { Operation } from './schedule/operation.ts'
import type { AnyRotated } from './schedule/rotated.ts'
import type { AnySynchronized } from './synchronize/synchronized.ts'
import type { JobOperationFacts, WorkFacts } from './work-facts.ts'

/** Loaded when first called, so that a function pays only for what it serves. */
export type Load<T> = () => Promise<T>

/** Verbs of an operation that one cloud alone has. */
export interface JobVerbs extends Pick<Operation, 'check' | 'find' | 'act'> {
  /** whether something joined the configuration, which then stays */
  readonly hasAttached: (domain: string, config: string) => Promise<boolean>
}

export interface JobOperationRow extends JobOperationFacts {
  readonly load: Load<JobVerbs>
}

/** Everything that long work does with keys outside this service. */
export interface WorkRow extends WorkFacts {
  /** The synchronized resources: keys under '', others under a name of their own. */
  readonly synchronize?: Readonly<Record<string, Load<AnySynchronized>>>
  readonly report?: Load<AnyReported>
  readonly rotate?: Load<AnyRotated>
  readonly sagas?: Load<readonly AnySagaKind[]>
  readonly bulk?: Load<Readonly<Record<string, BulkRow>>>
  readonly jobOperations?: readonly JobOperationRow[]
}

/** Filled with the same rows as `workFacts`. */
export const workRows = extensionPoint<WorkRow>('Clouds')

export const workRowNamed = (name: string): WorkRow | undefined => workRows.rows().find((row) => row.name === name)

/** @throws Refusal NOT_SUPPORTED, naming it, where work of this kind is not offered yet */
export function assertOffered(name: string, work: 'synchronize' | 'rotate'): void {
  if (workRowNamed(name)?.[work] === undefined) throw new Refusal('NOT_SUPPORTED', `${name} is not offered yet.`)
}
