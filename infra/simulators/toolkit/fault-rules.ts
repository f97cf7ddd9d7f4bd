import type { HttpAnswer, Silence } from './loopback.ts'

/** The affected calls among those that match a rule: all, some by number, or a limited number. */
export interface Counted {
  /** Counted from 1 since the rule was injected. */
  readonly calls?: readonly number[]
  readonly times?: number
}

/**
 * Faults that every cloud can have:
 * - `server-error`, `access-denied`, `expired-credentials`: a refusal of the service, without an effect
 * - `cut-before`, `cut-after`: the connection ends without an answer, before or after the effect
 * - `delay`: everything happens `delayMs` later; `hang`: nothing happens and no answer arrives
 * - `bad-json`: the effect happens, the answer is malformed
 * - `empty-page`: a list answers an empty page with a token for the next one
 * - `observe`: no fault; `after` runs after the effect and before the answer
 * - `wrong-answer`: the effect happens, and a successful answer has another body, such as absurd values
 */
export type UsualFault<Call> =
  | { readonly fault: 'server-error' | 'access-denied' | 'expired-credentials' }
  | { readonly fault: 'cut-before' | 'cut-after' | 'hang' | 'bad-json' | 'empty-page' }
  | { readonly fault: 'delay'; readonly delayMs: number }
  | { readonly fault: 'observe'; readonly after: (call: Call) => void | Promise<void> }
  | { readonly fault: 'wrong-answer'; readonly answer: (body: unknown) => unknown }

/** The calls that a rule affects; default: all. */
export interface FaultPlace<Call> extends Counted {
  readonly operation?: string
  readonly when?: (call: Call) => boolean
}

/** Whether a call is in the place of a rule. */
export const affects = <Call extends { readonly operation: string }>(
  { operation, when }: FaultPlace<Call>,
  call: Call,
): boolean => (operation ?? call.operation) === call.operation && when?.(call) !== false

/** The first refusal among the rules. */
export function firstRefusal<Rule, Refused>(
  rules: readonly Rule[],
  refusalOf: (rule: Rule) => Refused | undefined,
): Refused | undefined {
  for (const rule of rules) {
    const refusal = refusalOf(rule)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

interface TextAnswer extends HttpAnswer {
  readonly body: string
}

const isJson = (text: string): boolean => text === '' || /^\s*["[{\d]/.test(text)

/** A successful answer after the rules that replace its body; XML stays as it is. */
function wrongBy(
  rules: readonly ({ readonly answer: (body: unknown) => unknown } | { readonly fault: string })[],
  answer: TextAnswer,
): TextAnswer {
  if (answer.status >= 400 || !isJson(answer.body)) return answer
  return rules.reduce((each, rule) => {
    if (!('answer' in rule)) return each
    const body: unknown = each.body === '' ? undefined : JSON.parse(each.body)
    const wrong = rule.answer(body)
    return { ...each, body: wrong === undefined ? '' : JSON.stringify(wrong) }
  }, answer)
}

/**
 * Answers a call according to the rules that affect it. `run` applies refusals and pages.
 * @param run the call itself; `struck` returns whether a rule of that kind affects it
 */
export async function underFaults<Call>(
  rules: readonly (UsualFault<Call> | { readonly fault: string })[],
  call: Call,
  run: (struck: (fault: string) => boolean) => Promise<TextAnswer>,
): Promise<HttpAnswer | Silence> {
  const struck = (fault: string) => rules.some((rule) => rule.fault === fault)
  if (struck('hang')) return 'hang'
  const delayMs = rules.reduce((sum, rule) => sum + ('delayMs' in rule ? rule.delayMs : 0), 0)
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
  if (struck('cut-before')) return 'cut'
  const answer = wrongBy(rules, await run(struck))
  for (const rule of rules) if ('after' in rule) await rule.after(call)
  if (struck('cut-after')) return 'cut'
  return struck('bad-json') ? { ...answer, body: `${answer.body.slice(0, -1)}<` } : answer
}

export interface FaultRules<Rule extends Counted, Looked extends readonly unknown[]> {
  /** @returns a function that removes the rule */
  readonly inject: (rule: Rule) => () => void
  /** Every rule that affects this call. Each rule that matches the call counts it. */
  readonly strike: (...call: Looked) => readonly Rule[]
  readonly clear: () => void
}

/** Faults on demand. @param looksAt whether a rule matches a call */
export function createFaultRules<Rule extends Counted, Looked extends readonly unknown[]>(
  looksAt: (rule: Rule, ...call: Looked) => boolean,
): FaultRules<Rule, Looked> {
  const rules = new Map<Rule, { seen: number; struck: number }>()
  return {
    inject: (rule) => {
      const own = { ...rule } // the caller may inject the same object twice
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
