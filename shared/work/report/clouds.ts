import { workRowNamed, workRows } from '../work-row.ts'
import type { AnyReported } from './reported.ts'

/** Names of the clouds of which reports are made. */
export const reportedNames = (): string[] =>
  workRows.rows().flatMap(({ name, report }) => (report === undefined ? [] : [name]))

/** @throws Error, a fault, for a cloud of which no report can have been made */
export async function reportedCloud(name: string): Promise<AnyReported> {
  const load = workRowNamed(name)?.report
  if (load === undefined) throw new Error(`There are no reports of ${name}`)
  return load()
}
