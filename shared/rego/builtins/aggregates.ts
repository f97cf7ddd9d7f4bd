import { add, multiply } from '../number.ts'
import type { Num } from '../number.ts'
import { RegoObject, compare, isNumber } from '../value.ts'
import type { Value } from '../value.ts'
import { bounded } from './bounded.ts'
import { OperandError } from './builtin.ts'
import type { FunctionBuiltin } from './builtin.ts'
import { allowValues, chargeText } from './charging.ts'
import { elementError, elementsOf, elementsOperand, mustBeOneOf } from './operands.ts'

type Evaluate = FunctionBuiltin['evaluate']

/** A string counts its code points. */
const count: Evaluate = ([value = null], context) => {
  if (value instanceof RegoObject) return value.size
  const elements = elementsOf(value)
  if (elements !== undefined) return elements.length
  if (typeof value !== 'string') throw new OperandError(1, mustBeOneOf(['array', 'object', 'set', 'string'], value))
  chargeText(context, value.length)
  let characters = value.length
  for (let at = 0; at < value.length; at += 1) if ((value.charCodeAt(at) & 0xfc00) === 0xdc00) characters -= 1
  return characters
}

/** Extra cost of steps with big numbers, in bits per step; a product grows with each factor. */
const BITS_PER_STEP = 512

const fold =
  (start: number, combine: (a: Num, b: Num) => Num): Evaluate =>
  (operands, context) =>
    elementsOperand(operands, 1).reduce<Num>((result, element) => {
      if (!isNumber(element)) throw elementError(1, operands[0] ?? null, element, 'number')
      context.charge(typeof result === 'number' ? 1 : 1 + Math.ceil(4_096 / BITS_PER_STEP))
      return bounded(context, () => combine(result, element))
    }, start)

/**
 * The first or last of all in Rego's order; undefined for an empty collection. Among equal values the later one is
 * returned (`1` and `1.0`).
 */
const extreme =
  (replaces: (order: number) => boolean): Evaluate =>
  (operands, context) => {
    const elements = elementsOperand(operands, 1)
    context.charge(elements.length)
    return elements.reduce<Value | undefined>(
      (best, element) => (best === undefined || replaces(compare(element, best)) ? element : best),
      undefined,
    )
  }

const sort: Evaluate = (operands, context) => {
  const elements = elementsOperand(operands, 1)
  context.charge(elements.length * Math.ceil(Math.log2(elements.length + 2)))
  allowValues(context, elements.length)
  return elements.toSorted(compare)
}

const quantified =
  (answer: (elements: readonly Value[]) => boolean): Evaluate =>
  (operands, context) => {
    const elements = elementsOperand(operands, 1, ['array', 'set'])
    context.charge(elements.length)
    return answer(elements)
  }

export const AGGREGATES: readonly FunctionBuiltin[] = [
  { name: 'count', arity: 1, evaluate: count },
  { name: 'sum', arity: 1, evaluate: fold(0, add) },
  { name: 'product', arity: 1, evaluate: fold(1, multiply) },
  { name: 'max', arity: 1, evaluate: extreme((order) => order >= 0) },
  { name: 'min', arity: 1, evaluate: extreme((order) => order <= 0) },
  { name: 'sort', arity: 1, evaluate: sort },
  { name: 'all', arity: 1, deprecated: true, evaluate: quantified((all) => all.every((one) => one === true)) },
  { name: 'any', arity: 1, deprecated: true, evaluate: quantified((all) => all.some((one) => one === true)) },
]
