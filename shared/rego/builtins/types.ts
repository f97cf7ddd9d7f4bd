import { parseNumber } from '../number.ts'
import { RegoSet, typeName } from '../value.ts'
import type { TypeName, Value } from '../value.ts'
import { BuiltinError, OperandError } from './builtin.ts'
import type { FunctionBuiltin } from './builtin.ts'
import { allowValues, chargeText } from './charging.ts'
import { quoted } from './go-quote.ts'
import { elementsOperand, mustBe, mustBeOneOf } from './operands.ts'

const TYPES: readonly TypeName[] = ['array', 'boolean', 'null', 'number', 'object', 'set', 'string']

const ofType = (type: TypeName): FunctionBuiltin => ({
  name: `is_${type}`,
  arity: 1,
  evaluate: ([value = null]) => typeName(value) === type,
})

/** The old casts to a scalar or an object change nothing: they only refuse other types. */
const castTo = (type: TypeName): FunctionBuiltin => ({
  name: `cast_${type}`,
  arity: 1,
  deprecated: true,
  evaluate: ([value = null]) => {
    if (typeName(value) === type) return value
    throw new OperandError(1, mustBe(type, value))
  },
})

const castToArray: FunctionBuiltin = {
  name: 'cast_array',
  arity: 1,
  deprecated: true,
  evaluate: (operands, context) => {
    const elements = elementsOperand(operands, 1, ['array', 'set'])
    allowValues(context, elements.length)
    return elements
  },
}

const castToSet: FunctionBuiltin = {
  name: 'cast_set',
  arity: 1,
  deprecated: true,
  evaluate: (operands, context) => {
    const elements = elementsOperand(operands, 1, ['array', 'set'])
    allowValues(context, elements.length)
    return RegoSet.from(elements)
  },
}

/** `inf`, `nan` and similar, which the reference's parser of numbers accepts. */
const NAMED_NUMBER = /^[-+]*(?:inf|infinity|nan)$/i

const toNumber: FunctionBuiltin = {
  name: 'to_number',
  arity: 1,
  evaluate: ([value = null], context) => {
    if (value === null || value === false) return 0
    if (value === true) return 1
    if (typeof value === 'object') {
      if (typeName(value) === 'number') return value
      throw new OperandError(1, mustBeOneOf(['null', 'boolean', 'number', 'string'], value))
    }
    if (typeof value !== 'string') return value
    chargeText(context, value.length)
    if (NAMED_NUMBER.test(value)) throw new OperandError(1, mustBe('valid number string', value))
    return numberIn(value)
  },
}

/**
 * Ours: a leading `+` and a trailing point are accepted, as in the reference, but not printed; hexadecimal and
 * underscores are refused, since no number of Rego can have such a text.
 */
function numberIn(text: string): Value {
  const number = parseNumber(text.replace(/^\+/, '').replace(/\.(?=[eE]|$)/, ''))
  if (number === undefined)
    throw new BuiltinError(`strconv.ParseFloat: parsing ${quoted(text.slice(0, 100))}: invalid syntax`)
  return number
}

export const TYPES_AND_CASTS: readonly FunctionBuiltin[] = [
  ...TYPES.map(ofType),
  { name: 'type_name', arity: 1, evaluate: ([value = null]) => typeName(value) },
  toNumber,
  castToArray,
  castToSet,
  ...(['boolean', 'null', 'object', 'string'] as const).map(castTo),
]
