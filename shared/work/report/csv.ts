import type { ContentRow } from './store.ts'
import type { Column } from './reported.ts'

/** Spreadsheets take a cell that begins so for a formula, whatever quotes stand around it; some also the wide signs. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const NEEDS_QUOTES = /[",\r\n]/

function cell(value: string | boolean | null | undefined): string {
  const text = value === null || value === undefined ? '' : String(value)
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

const line = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

/** The first line of a text. @see RFC 4180 §2 */
export const headerLine = (columns: readonly Column[]): string => line(columns.map(([header]) => cell(header)))

/**
 * One line of a text, with its end: quoted where it must be, and with a `'` before what a spreadsheet would carry out.
 * @see RFC 4180 §2
 */
export const rowLine = (columns: readonly Column[], row: ContentRow): string =>
  line(columns.map(([, field]) => cell(row[field])))
