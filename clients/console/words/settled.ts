/** An answer that a figure needs. */
export interface Source {
  /** shown while it is awaited, or if it fails */
  readonly title: string
  readonly answer: { readonly data: unknown; readonly error: Error | null }
}

/** Whether every source of a figure has answered or failed. */
export interface Settled {
  readonly isSettled: boolean
  readonly pending: readonly string[]
  readonly failed: readonly { readonly title: string; readonly error: Error }[]
}

/** The state of the sources of a figure: a figure is only shown once all of them are settled. */
export function settledOf(sources: readonly Source[]): Settled {
  const pending = sources.filter(({ answer: { data, error } }) => data === undefined && error === null)
  const failed = sources.flatMap(({ title, answer: { data, error } }) =>
    data === undefined && error !== null ? [{ title, error }] : [],
  )
  return { isSettled: pending.length === 0, pending: pending.map(({ title }) => title), failed }
}
