import { at } from '../arguments/body.ts'
import { PAGE } from '../page.ts'
import { cellOf, printable } from './printable.ts'

/** The fields of a record with their texts for a cell. Names of nested fields contain dots. */
export function* pairsIn(value: unknown, path = ''): Generator<readonly [string, string]> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield [path, cellOf(value)]
    return
  }
  for (const [name, inner] of Object.entries(value))
    yield* pairsIn(inner, path === '' ? printable(name) : `${path}.${printable(name)}`)
}

/** The list of an answer that is one list of records under a name: the runs of a preview. */
function onlyList(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const [list, second] = Object.values(value) as unknown[]
  const isList = second === undefined && Array.isArray(list) && list.every((each) => typeof each === 'object')
  return isList && list.length > 0 ? (list as readonly unknown[]) : undefined
}

/** The rows of a page, of an array, or of an answer with a single list of records; `undefined` for anything else. */
export function rowsOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as readonly unknown[]
  if (PAGE.some((name) => at(value, [name]) === undefined)) return onlyList(value)
  const rows = at(value, ['resources'])
  return Array.isArray(rows) ? (rows as readonly unknown[]) : undefined
}

/** All fields of the rows, in the order of their first occurrence. */
export const namesIn = (rows: readonly unknown[]): string[] => [
  ...new Set(rows.flatMap((row) => [...pairsIn(row)].map(([name]) => name))),
]
