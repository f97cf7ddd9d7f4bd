/** Which of the calls that a rule looks at it strikes: all of them, those named by number, or at most so many. */
export interface Counted {
  /** Counted from 1 since the rule was injected. */
  readonly calls?: readonly number[]
  readonly times?: number
}

export interface FaultRules<Rule extends Counted, Looked extends readonly unknown[]> {
  /** @returns takes the rule away again */
  readonly inject: (rule: Rule) => () => void
  /** Every rule that strikes this call; each rule that looks at it counts it. */
  readonly strike: (...call: Looked) => readonly Rule[]
  readonly clear: () => void
}

/** What a simulated cloud does wrong on demand. @param looksAt whether a rule is about a call */
export function createFaultRules<Rule extends Counted, Looked extends readonly unknown[]>(
  looksAt: (rule: Rule, ...call: Looked) => boolean,
): FaultRules<Rule, Looked> {
  const rules = new Map<Rule, { seen: number; struck: number }>()
  return {
    inject: (rule) => {
      const own = { ...rule } // the same object may be injected twice
      rules.set(own, { seen: 0, struck: 0 })
      return () => rules.delete(own)
    },
    strike: (...call) => {
      const striking: Rule[] = []
      for (const [rule, counts] of rules) {
        if (!looksAt(rule, ...call)) continue
        counts.seen++
        if (counts.struck >= (rule.times ?? Infinity) || rule.calls?.includes(counts.seen) === false) continue
        counts.struck++
        striking.push(rule)
      }
      return striking
    },
    clear: () => rules.clear(),
  }
}
