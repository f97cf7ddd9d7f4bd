import type { FunctionBuiltin } from './builtin.ts'
import { stringOperand } from './operands.ts'

/** Notes for the author of a policy. Ours: they are discarded; `print` is compiled away. */
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
