import { at } from '../arguments/body.ts'
import { namesIn, pairsIn, rowsOf } from './flat-pairs.ts'
import { cellOf } from './printable.ts'

const GAP = '  '

/** Characters that are two columns wide on a terminal: those of East Asia, and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

function widthOf(text: string): number {
  let width = 0
  for (const letter of text) width += WIDE.test(letter) ? 2 : 1
  return width
}

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

function shortened(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  for (const letter of text) {
    if (widthOf(kept + letter) > width - 1) break
    kept += letter
  }
  return `${kept}…`
}

/** A column that is shown, by its position, and its width. */
type Column = readonly [at: number, width: number]

/** The columns that fit: the last ones are omitted, the first one is shortened. */
function firstWithin(columns: readonly Column[], most: number): Column[] {
  const kept: Column[] = []
  let used = 0
  for (const [at, width] of columns) {
    const next = used + width + (kept.length === 0 ? 0 : GAP.length)
    if (next > most && kept.length > 0) break
    kept.push([at, Math.min(width, most)])
    used = next
  }
  return kept
}

/** The columns that fit. The last one, an id, is shown if it leaves half of the width to others. */
function withinWidth(widths: readonly number[], most: number): Column[] {
  const all = widths.map((width, at): Column => [at, width])
  const last = all.at(-1)
  const whole = firstWithin(all, most)
  if (last === undefined || whole.length === all.length || last[1] > most / 2) return whole
  return [...firstWithin(all.slice(0, -1), most - last[1] - GAP.length), last]
}

/** Lines of a table below its heading, at most `width` wide. */
function linesOf(head: readonly string[], rows: readonly (readonly string[])[], width: number): string[] {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ''))))
  const kept = withinWidth(widths, width)
  return all.map((row) =>
    kept
      .map(([column, most]) => padded(shortened(row[column] ?? '', most), most))
      .join(GAP)
      .trimEnd(),
  )
}

const titleOf = (column: string): string =>
  (column.split('.').at(-1) ?? column)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toUpperCase()

/** Columns that at least one row has. */
const columnsIn = (columns: readonly string[], rows: readonly unknown[]): string[] =>
  columns.filter((column) => rows.some((row) => cellOf(at(row, column.split('.'))) !== ''))

function tableOfRows(rows: readonly unknown[], columns: readonly string[], width: number): string[] {
  const known = rows.length === 0 ? [...columns] : columnsIn(columns, rows)
  if (rows.some((row) => typeof row !== 'object')) return rows.map(cellOf)
  const shown = known.length > 0 ? known : namesIn(rows)
  const cells = rows.map((row) => shown.map((column) => cellOf(at(row, column.split('.')))))
  return linesOf(shown.map(titleOf), cells, width)
}

/** The line below the rows of a page that has more. */
function restOf(value: unknown, shown: number): string[] {
  const total = at(value, ['total'])
  return typeof total === 'number' && total > shown
    ? [`${shown} of ${total}; --all, --skip and --limit show others.`]
    : []
}

/** Columns of tables: the usual ones of a list, the chosen ones, and their widths. */
export interface Shown {
  readonly columns: readonly string[]
  readonly chosen: readonly string[] | undefined
  readonly width: number
}

/**
 * A list as a table no wider than the terminal; a record as one unshortened line per field; anything else unchanged.
 */
export function tableOf(value: unknown, { columns, chosen, width }: Shown): string[] {
  const rows = rowsOf(value)
  if (rows !== undefined) return [...tableOfRows(rows, chosen ?? columns, width), ...restOf(value, rows.length)]
  if (typeof value !== 'object' || value === null) return [cellOf(value)]
  const pairs = [...pairsIn(value)].filter(([name, cell]) => cell !== '' && (chosen?.includes(name) ?? true))
  return linesOf(['FIELD', 'VALUE'], pairs, Infinity)
}
