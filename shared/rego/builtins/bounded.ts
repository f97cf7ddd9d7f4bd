import { NumberTooLarge } from '../number.ts'
import type { BuiltinContext } from './builtin.ts'

/** What is computed with numbers, unless it would get too large to keep. @throws LimitError */
export function bounded<T>(context: BuiltinContext, compute: () => T): T {
  try {
    return compute()
  } catch (error) {
    if (error instanceof NumberTooLarge) return context.exceed(error.message)
    throw error
  }
}
