import type { FunctionBuiltin } from './builtin.ts'

/**
 * What a policy's annotations say of the rule that calls. While compiling, a call in a rule is replaced by its value, so
 * these are reached by queries alone, which have no rule.
 */
export const METADATA: readonly FunctionBuiltin[] = ['rego.metadata.rule', 'rego.metadata.chain'].map((name) => ({
  name,
  arity: 0,
  evaluate: () => undefined,
}))
