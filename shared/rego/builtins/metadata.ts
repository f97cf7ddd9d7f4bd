import type { FunctionBuiltin } from './builtin.ts'

/**
 * The annotations of the calling rule. The compiler replaces a call in a rule by its value, so only queries, which have
 * no rule, call these functions.
 */
export const METADATA: readonly FunctionBuiltin[] = ['rego.metadata.rule', 'rego.metadata.chain'].map((name) => ({
  name,
  arity: 0,
  evaluate: () => undefined,
}))
