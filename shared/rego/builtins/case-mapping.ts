/**
 * Letter case by simple mappings (one code point to one code point, UnicodeData), without locale or context: `ß` is
 * unchanged in upper case, and a final sigma is like any other. JavaScript uses full mappings. Where their result is
 * longer, the table below has the simple mapping; without an entry the character stays.
 * @param isPlain whether the text is ASCII, if the caller knows
 */
export const lowerCase = (text: string, isPlain = isAscii(text)): string =>
  isPlain ? text.toLowerCase() : mapped(text, (character) => character.toLowerCase(), SIMPLE_LOWER)

/** See `lowerCase`. */
export const upperCase = (text: string, isPlain = isAscii(text)): string =>
  isPlain ? text.toUpperCase() : mapped(text, (character) => character.toUpperCase(), SIMPLE_UPPER)

/** Greek letters with iota subscript, whose simple upper case is the title case form: first, last, and the distance. */
const WITH_IOTA: readonly (readonly [number, number, number])[] = [
  [0x1f80, 0x1f87, 8],
  [0x1f90, 0x1f97, 8],
  [0x1fa0, 0x1fa7, 8],
  [0x1fb3, 0x1fb3, 9],
  [0x1fc3, 0x1fc3, 9],
  [0x1ff3, 0x1ff3, 9],
]

/** Code points whose full mapping is longer than one code point, but which also have a simple one. */
const SIMPLE_LOWER: ReadonlyMap<string, string> = new Map([['\u0130', 'i']])

const SIMPLE_UPPER: ReadonlyMap<string, string> = new Map(
  WITH_IOTA.flatMap(([first, last, distance]) =>
    Array.from({ length: last - first + 1 }, (_, i): [string, string] => [
      String.fromCodePoint(first + i),
      String.fromCodePoint(first + i + distance),
    ]),
  ),
)

const ASCII = /^[\x00-\x7f]*$/

export const isAscii = (text: string): boolean => ASCII.test(text)

function mapped(text: string, full: (character: string) => string, simple: ReadonlyMap<string, string>): string {
  let result = ''
  for (const character of text) {
    const long = full(character)
    result +=
      long.length === String.fromCodePoint(long.codePointAt(0) ?? 0).length
        ? long
        : (simple.get(character) ?? character)
  }
  return result
}
