import type { Context } from '../http/context.ts'
import { compiledPolicy, decide, explain, type Dialect, type PolicyInput } from '../serving/policy-decision.ts'
import type { PolicyDecision } from './policy-model.ts'

/** A policy to be tested. */
interface TestedPolicy {
  readonly text: string
  readonly dialect: Dialect
  /** its rules that must all hold before it allows anything; absent for a policy without such rules */
  readonly conditions?: readonly string[]
}

/** The decision of a policy on an input, and the rule that decided. */
export async function decisionOf(
  { now, traceId }: Pick<Context, 'now' | 'traceId'>,
  { text, dialect, conditions = [] }: TestedPolicy,
  input: PolicyInput,
): Promise<PolicyDecision> {
  const compiled = await compiledPolicy(text, dialect)
  const question = { input, now, seed: traceId }
  const { allowed, error } = decide(compiled, question)
  const decided_by = error === undefined ? await explain(compiled, text, conditions, question) : { rule: 'error' }
  return { allowed, decided_by, ...(error !== undefined && { error: { code: error } }), raw_policy: text }
}
