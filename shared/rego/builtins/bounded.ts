import { NumberTooLarge } from '../number.ts'
import type { BuiltinContext } from './builtin.ts'

/** Runs a computation with numbers that fails if a result grows too large. @throws LimitError */
export function bounded<T>(context: BuiltinContext, compute: () => T): T {
  try {
    return compute()
  } catch (error) {
    if (error instanceof NumberTooLarge) return context.exceed(error.message)
    throw error
  }
}
