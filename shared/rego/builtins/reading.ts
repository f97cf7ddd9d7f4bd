import type { Value } from '../value.ts'
import { Base64Error } from './base64.ts'
import { BuiltinError } from './builtin.ts'
import type { BuiltinContext, FunctionBuiltin } from './builtin.ts'
import { chargeCharacters } from './charging.ts'
import { JsonSyntaxError } from './json-read.ts'
import { stringOperand } from './operands.ts'
import { QueryError } from './url-query.ts'
import { YamlError } from './yaml-error.ts'

type Evaluate = FunctionBuiltin['evaluate']

/** Converts the error of a parser into one of the built-in. */
export function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (
      error instanceof Base64Error ||
      error instanceof QueryError ||
      error instanceof JsonSyntaxError ||
      error instanceof YamlError
    )
      throw new BuiltinError(error.message)
    throw error
  }
}

/** Whether a text can be parsed; false for anything but a string. */
export const validity =
  (read: (text: string, context: BuiltinContext) => void): Evaluate =>
  ([text = null], context) => {
    if (typeof text !== 'string') return false
    chargeCharacters(context, text.length)
    try {
      readable(() => read(text, context))
      return true
    } catch (error) {
      if (error instanceof BuiltinError) return false
      throw error
    }
  }

/** The value of a text. */
export const unmarshal =
  (read: (text: string, context: BuiltinContext) => Value): Evaluate =>
  (operands, context) => {
    const text = stringOperand(operands, 1)
    return readable(() => read(text, context))
  }
