import { stringify } from 'csv-stringify/sync'
import { namesIn, pairsIn, rowsOf } from './flat-pairs.ts'

/** A list in CSV with all fields of its rows; a record is a list of one. Formulas are made harmless. */
export function csvOf(value: unknown, chosen?: readonly string[]): string {
  const rows = rowsOf(value) ?? [value]
  const names = chosen ?? namesIn(rows)
  const cells = rows.map((row) => Object.fromEntries(pairsIn(row)))
  const columns = names.map((name) => ({ key: name, header: name === '' ? 'value' : name }))
  // names contain dots, which the library would treat as paths, so cells are given in order
  const lines = cells.map((row) => names.map((name) => row[name] ?? ''))
  return stringify(lines, {
    header: true,
    columns: columns.map(({ header }) => header),
    escape_formulas: true,
  }).trimEnd()
}
