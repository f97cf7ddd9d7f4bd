/**
 * U+FFFD, with which a gateway replaces bytes that are not UTF-8. Ours: a body that contains it is refused, since the
 * two cases cannot be distinguished; a caller who means the character escapes it.
 */
export const REPLACEMENT = '\u{FFFD}'

export type Fields = Readonly<Record<string, unknown>>

/** Whether a value is an object with named members: neither `null` nor an array. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value is one of a list. */
export const isAmong = <const T>(values: readonly T[], value: unknown): value is T =>
  values.some((one) => one === value)

/** The members of an object; empty for any other value. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {})

/** Whether a field of a body has a value; `null` removes one. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** The value of a JSON text; `undefined` for any other text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
