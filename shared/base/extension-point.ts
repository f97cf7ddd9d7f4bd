/**
 * A list that rooms above give to a room below, which must not import them: `shared/wiring.ts` fills every one from the rows
 * of clouds and protocols before the first request.
 */
export interface ExtensionPoint<Row> {
  readonly fill: (rows: readonly Row[]) => void
  /** @throws Error, a fault, when the function does not import `shared/wiring.ts` */
  readonly rows: () => readonly Row[]
}

/** @param what the rows are, for the fault */
export function extensionPoint<Row>(what: string): ExtensionPoint<Row> {
  let filled: readonly Row[] | undefined
  return {
    fill: (rows) => {
      filled = rows
    },
    rows: () => {
      if (filled === undefined) throw new Error(`${what} are not known: import shared/wiring.ts`)
      return filled
    },
  }
}
