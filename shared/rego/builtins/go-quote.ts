/** Quoted text in the format of Go's strconv.Quote: `%q` of `sprintf`, and several messages of the reference. */

const NAMED: ReadonlyMap<number, string> = new Map([
  [7, '\\a'],
  [8, '\\b'],
  [9, '\\t'],
  [10, '\\n'],
  [11, '\\v'],
  [12, '\\f'],
  [13, '\\r'],
  [92, '\\\\'],
])

/** Letters, marks, numbers, punctuation, symbols and the plain space: Go prints these unchanged. */
export const isPrintable = (character: string): boolean => /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)

/** @param code a code point; any other number, surrogates included, is shown as U+FFFD */
export const runeText = (code: bigint): string =>
  code < 0n || code > 0x10ffffn || (code >= 0xd800n && code <= 0xdfffn) ? '\ufffd' : String.fromCodePoint(Number(code))

function escaped(character: string, quote: string, asciiOnly: boolean): string {
  const code = character.codePointAt(0) ?? 0
  if (character === quote) return `\\${character}`
  const named = NAMED.get(code)
  if (named !== undefined) return named
  if (asciiOnly ? code >= 32 && code < 127 : isPrintable(character)) return character
  if (code < 32 || code === 127) return `\\x${code.toString(16).padStart(2, '0')}`
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`
}

/** @param quote `"` for a string, `'` for a single character */
export function quoted(text: string, quote: '"' | "'" = '"', asciiOnly = false): string {
  let shown = quote
  for (const character of text) shown += escaped(character, quote, asciiOnly)
  return shown + quote
}

/** Whether `text` can be put between backquotes unchanged. */
export function fitsBackquotes(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (character === '`' || character === '\ufeff' || code === 127 || (code < 32 && character !== '\t')) return false
  }
  return true
}
