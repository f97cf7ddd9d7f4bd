import { workRows } from '../work-row.ts'
import type { AnySagaKind } from './saga.ts'

/** The kind of an unfinished saga, by the name in its record. @throws Error, a fault, for a name that no kind has */
export async function sagaKindNamed(name: string): Promise<AnySagaKind> {
  for (const { sagas } of workRows()) {
    const kind = (await sagas?.())?.find((one) => one.name === name)
    if (kind !== undefined) return kind
  }
  throw new Error(`There is no kind of saga named ${name}`)
}
