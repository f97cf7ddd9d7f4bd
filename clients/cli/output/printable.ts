/**
 * Invisible characters: control and format characters, which a terminal interprets or which change the direction of
 * text, and line separators.
 */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Whether a text has such characters, apart from line breaks and tabs. */
export const hasControls = (text: string): boolean => printableLines(text) !== text

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')

/** A text that a terminal can show safely: control characters are escaped. */
export const printable = (text: string): string => text.replace(CONTROLS, escaped)

/** The same for a text of several lines. In JSON, the escapes do not change the meaning. */
export const printableLines = (text: string): string =>
  text.replace(CONTROLS, (character) => (character === '\n' || character === '\t' ? character : escaped(character)))

/** A value in one cell. */
export function cellOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return printable(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return printable(value.join(', '))
  return printable(JSON.stringify(value))
}
