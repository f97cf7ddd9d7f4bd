/** The beginning of a text, without half a surrogate pair at its end. @param most in UTF-16 units */
export const shortText = (text: string, most: number): string =>
  text.length <= most && text.isWellFormed() ? text : text.slice(0, most).toWellFormed()
