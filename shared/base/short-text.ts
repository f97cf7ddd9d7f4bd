/** The beginning of a text, with no half of a character at its end. @param most in UTF-16 units */
export const shortText = (text: string, most: number): string => text.slice(0, most).toWellFormed()
