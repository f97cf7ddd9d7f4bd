import { stringify } from 'csv-stringify/sync'
import { namesIn, pairsIn, rowsOf } from './flat-pairs.ts'

/** A list in CSV with every field of its rows; a record as a list of one. Formulas are made harmless. */
export function csvOf(value: unknown): string {
  const rows = rowsOf(value) ?? [value]
  const names = namesIn(rows)
  const cells = rows.map((row) => Object.fromEntries(pairsIn(row)))
  const columns = names.map((name) => ({ key: name, header: name === '' ? 'value' : name }))
  // Names have dots, which would lead into objects: cells are given in order.
  const lines = cells.map((row) => names.map((name) => row[name] ?? ''))
  return stringify(lines, {
    header: true,
    columns: columns.map(({ header }) => header),
    escape_formulas: true,
  }).trimEnd()
}
