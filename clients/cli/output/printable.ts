/** Control characters and those that change the direction of text, which a terminal would interpret. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

const escaped = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`

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
