import type { FunctionBuiltin } from './builtin.ts'
import { stringOperand } from './operands.ts'

/** What a policy writes for its author's eyes. Ours: nobody reads it, so it goes nowhere; `print` is compiled away. */
export const NOTES: readonly FunctionBuiltin[] = [
  {
    name: 'trace',
    arity: 1,
    evaluate: (operands) => {
      stringOperand(operands, 1)
      return true
    },
  },
]
