import { workRowNamed, workRows } from '../work-row.ts'
import type { AnyReported } from './reported.ts'

/** Names of the clouds with reports. */
export const reportedNames = (): string[] =>
  workRows().flatMap(({ name, report }) => (report === undefined ? [] : [name]))

/** @throws Error, a fault, for a cloud without reports */
export async function reportedCloud(name: string): Promise<AnyReported> {
  const load = workRowNamed(name)?.report
  if (load === undefined) throw new Error(`There are no reports of ${name}`)
  return load()
}
