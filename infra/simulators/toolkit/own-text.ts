/** Texts of values of one type that only their server writes. They are read without validation. */
export interface OwnText<T> {
  readonly write: (value: T) => string
  /** @param revive reviver of `JSON.parse` */
  readonly read: (text: string, revive?: (name: string, value: unknown) => unknown) => T
}

export const ownText = <T>(): OwnText<T> => ({
  write: (value) => JSON.stringify(value),
  read: (text, revive) => JSON.parse(text, revive) as T, // as `write` wrote it
})
