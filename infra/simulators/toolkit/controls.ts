import type { Counted, FaultRules } from './fault-rules.ts'
import type { Called, RequestLog } from './request-log.ts'

/** Faults and request log of a simulator, as tests use them. */
export interface Controls<Rule, Call> {
  /** @returns a function that removes the rule */
  readonly inject: (rule: Rule) => () => void
  /** Requests, refused ones included, oldest first; the last 10,000. */
  readonly calls: () => readonly (Call & { readonly refused?: string })[]
  /** Number of calls of each operation since the last reset. */
  readonly counts: () => Readonly<Record<string, number>>
  /** Clears counts, calls and rules; keys, rates and delays stay. */
  readonly reset: () => void
}

export const controls = <Rule extends Counted, Looked extends readonly unknown[], Call extends Called>({
  faults,
  log,
}: {
  readonly faults: FaultRules<Rule, Looked>
  readonly log: RequestLog<Call>
}): Controls<Rule, Call> => ({
  inject: faults.inject,
  calls: log.calls,
  counts: log.counts,
  reset: () => {
    faults.clear()
    log.clear()
  },
})
