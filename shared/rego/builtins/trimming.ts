/** Unicode white space as in Go: includes U+0085 but not U+FEFF, the opposite of JavaScript's own `trim`. */
export const isSpace = (character: string): boolean =>
  /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/.test(character)

/** Removes characters (code points) from the start while `isCut`. */
export function trimStart(text: string, isCut: (character: string) => boolean): string {
  let at = 0
  for (const character of text) {
    if (!isCut(character)) break
    at += character.length
  }
  return text.slice(at)
}

/**
 * Removes characters (code points) from the end while `isCut`; a loop, since an expression anchored at the end takes
 * quadratic time.
 */
export function trimEnd(text: string, isCut: (character: string) => boolean): string {
  let end = text.length
  while (end > 0) {
    const low = text.charCodeAt(end - 1)
    const width = low >= 0xdc00 && low <= 0xdfff && end > 1 ? 2 : 1
    if (!isCut(text.slice(end - width, end))) break
    end -= width
  }
  return text.slice(0, end)
}
