import type { ContentRow } from './store.ts'
import type { Column } from './reported.ts'

/**
 * Spreadsheets treat a cell that begins with such a character as a formula, quoted or not; some also the full-width
 * signs.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const NEEDS_QUOTES = /[",\r\n]/

function cell(value: string | boolean | null | undefined): string {
  const text = value === null || value === undefined ? '' : String(value)
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

const line = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

/** The first line of a CSV text. @see RFC 4180 §2 */
export const headerLine = (columns: readonly Column[]): string => line(columns.map(([header]) => cell(header)))

/**
 * One line of a text, with its line end. Quotes cells where needed, and puts a `'` before a cell that a spreadsheet
 * would execute.
 * @see RFC 4180 §2
 */
export const rowLine = (columns: readonly Column[], row: ContentRow): string =>
  line(columns.map(([, field]) => cell(row[field])))
