/** Members of every logged call. */
export interface Called {
  readonly operation: string
}

/** All calls, refused ones included. */
export interface RequestLog<Call extends Called> {
  /** @returns a function that records the refusal of the call */
  readonly note: (call: Call) => (refused: string) => void
  /** Oldest first; the last 10,000. */
  readonly calls: () => readonly (Call & { readonly refused?: string })[]
  /** By operation, of all services. */
  readonly counts: () => Readonly<Record<string, number>>
  readonly clear: () => void
}

const KEPT_CALLS = 10_000

export function createRequestLog<Call extends Called>(): RequestLog<Call> {
  let kept: (Call & { refused?: string })[] = []
  let counts: Record<string, number> = {}
  return {
    note: (call) => {
      const entry: Call & { refused?: string } = { ...call }
      kept.push(entry)
      if (kept.length >= 2 * KEPT_CALLS) kept = kept.slice(-KEPT_CALLS)
      counts[call.operation] = (counts[call.operation] ?? 0) + 1
      return (refused) => {
        entry.refused = refused
      }
    },
    calls: () => kept.slice(-KEPT_CALLS),
    counts: () => ({ ...counts }),
    clear: () => {
      kept = []
      counts = {}
    },
  }
}
