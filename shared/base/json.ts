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

/** Whether a table has a row of this name. */
export const isNameIn = <T extends object>(table: T, name: unknown): name is keyof T & string =>
  typeof name === 'string' && Object.hasOwn(table, name)

/** The entries of a list; empty for any other value. */
export const entriesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The texts of a list, or a single text. */
export const textsOf = (value: unknown): readonly string[] =>
  (typeof value === 'string' ? [value] : entriesOf(value)).filter((one) => typeof one === 'string')

/** Texts of values of one type that only this service writes. They are read without validation. */
export interface OwnText<T> {
  readonly write: (value: T) => string
  readonly read: (text: string) => T
}

export const ownText = <T>(): OwnText<T> => ({
  write: (value) => JSON.stringify(value),
  read: (text) => JSON.parse(text) as T, // as `write` wrote it
})

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
