import {
  brokenPolicy,
  EvaluationError,
  PolicyCache,
  Policy,
  PolicyError,
  type DecisionPolicy,
  type Dialect,
} from '../rego/index.ts'
import type { PolicyInput } from './policy-input.ts'

/** Why a text is not a policy. `line` and `column` count from 1. */
export interface PolicyFault {
  readonly line: number
  readonly column: number
  readonly reason: string
}

/** One decision: its input, the time that the policy sees, and the seed of its randomness. */
export interface Question {
  readonly input: PolicyInput
  readonly now: Date
  readonly seed: string
}

/** The rule that decided. */
export interface Explanation {
  /**
   * `allow` if it holds; otherwise a condition that does not hold; otherwise `default allow`, or `none` when no rule
   * had a value
   */
  readonly rule: string
  /** line of the rule in the policy's text, from 1 */
  readonly line?: number
}

const NANOSECONDS = 1_000_000n
const optionsOf = ({ input, now, seed }: Question) => ({
  input,
  now: BigInt(now.getTime()) * NANOSECONDS,
  seed,
})

const kept = new PolicyCache()

/** Parses a policy as uploaded. Returns its dialect, which is stored with it, or every fault in it. */
export async function readPolicy(
  text: string,
): Promise<{ readonly dialect: Dialect } | { readonly faults: readonly PolicyFault[] }> {
  try {
    return { dialect: (await kept.upload(text)).dialect }
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
    const faults = error.faults.map(({ code, message, place }) => ({
      line: place.row,
      column: place.column,
      reason: `${code}: ${message}`,
    }))
    return { faults }
  }
}

/**
 * A stored policy, compiled once while it stays cached. Ours: a text that an earlier release accepted and this one
 * refuses denies every call with the code of its fault, so that the owner finds it in the record and in the test of the
 * policy.
 */
export async function compiledPolicy(text: string, dialect: Dialect): Promise<DecisionPolicy> {
  try {
    return await kept.get(text, dialect)
  } catch (error) {
    if (error instanceof PolicyError) return brokenPolicy(text, dialect, error)
    throw error
  }
}

/** Whether the policy allows the input. Only exactly `true` does; a failure and an exceeded limit do not. */
export function decide(
  policy: DecisionPolicy,
  question: Question,
): { readonly allowed: boolean; readonly error: string | undefined } {
  const { input, ...options } = optionsOf(question)
  return policy.decide(input, options)
}

/** The first condition that does not hold when evaluated alone. */
async function firstFailing(
  text: string,
  conditions: readonly string[],
  question: Question,
): Promise<string | undefined> {
  const policy = await Policy.compile([{ text, file: 'policy' }], { dialect: 'v1' })
  const holds = (condition: string): boolean => {
    try {
      return policy.document([...policy.package, condition], optionsOf(question)).value === true
    } catch (error) {
      if (error instanceof EvaluationError) return false
      throw error
    }
  }
  return conditions.find((condition) => !holds(condition))
}

/**
 * The rule that decided. Costs more than a decision: it is for testing a policy.
 * @param text of the policy
 * @param conditions its rules that must all hold before it allows anything; empty for a policy without such rules
 */
export async function explain(
  policy: DecisionPolicy,
  text: string,
  conditions: readonly string[],
  question: Question,
): Promise<Explanation> {
  const { input, ...options } = optionsOf(question)
  const decided = policy.explain(input, options)
  if (decided.kind === 'rule') {
    const [first] = decided.rules
    return { rule: 'allow', ...(first && { line: first.row }) }
  }
  const failing = conditions.length === 0 ? undefined : await firstFailing(text, conditions, question)
  if (failing !== undefined) return { rule: failing }
  return decided.kind === 'default' ? { rule: 'default allow', line: decided.row } : { rule: 'none' }
}

export type { DecisionPolicy, Dialect, PolicyInput }
