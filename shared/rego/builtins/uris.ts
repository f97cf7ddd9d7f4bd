import { RegoObject } from '../value.ts'
import { BuiltinError } from './builtin.ts'
import type { FunctionBuiltin } from './builtin.ts'
import { allowText, allowValues, chargeCharacters } from './charging.ts'
import { stringOperand } from './operands.ts'
import { UriError, parseUri } from './uri.ts'

type Evaluate = FunctionBuiltin['evaluate']

/** Only the parts that are present; the user part of the authority is omitted. */
const parse: Evaluate = (operands, context) => {
  const text = stringOperand(operands, 1)
  chargeCharacters(context, text.length * 2)
  if (text.length > context.limits.stringUnits) allowText(context, text.length)
  try {
    const parts = Object.entries(parseUri(text)).filter(([, value]) => value !== '')
    allowValues(context, parts.length, text.length)
    return RegoObject.from(parts)
  } catch (error) {
    if (error instanceof UriError) throw new BuiltinError(error.message)
    throw error
  }
}

/** The empty text is a valid reference, but counts as invalid here. */
const isValid: Evaluate = ([text = null], context) => {
  if (typeof text !== 'string' || text === '') return false
  chargeCharacters(context, text.length * 2)
  try {
    parseUri(text)
    return true
  } catch (error) {
    if (error instanceof UriError) return false
    throw error
  }
}

export const URIS: readonly FunctionBuiltin[] = [
  { name: 'uri.parse', arity: 1, evaluate: parse },
  { name: 'uri.is_valid', arity: 1, evaluate: isValid },
]
