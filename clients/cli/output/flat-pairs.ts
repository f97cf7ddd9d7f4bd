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

/** The rows of a page or of an array; `undefined` for anything else. */
export function rowsOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as readonly unknown[]
  if (PAGE.some((name) => at(value, [name]) === undefined)) return undefined
  const rows = at(value, ['resources'])
  return Array.isArray(rows) ? (rows as readonly unknown[]) : undefined
}

/** All fields of the rows, in the order of their first occurrence. */
export const namesIn = (rows: readonly unknown[]): string[] => [
  ...new Set(rows.flatMap((row) => [...pairsIn(row)].map(([name]) => name))),
]
