import { isArray } from '../value.ts'
import type { FunctionBuiltin } from './builtin.ts'
import { allowValues } from './charging.ts'
import { arrayOperand, positionOperand } from './operands.ts'

type Evaluate = FunctionBuiltin['evaluate']

const concat: Evaluate = (operands, context) => {
  const first = arrayOperand(operands, 1)
  const second = arrayOperand(operands, 2)
  allowValues(context, first.length + second.length)
  return [...first, ...second]
}

/** Bounds outside of the array are moved to its ends; a start after the stop results in an empty array. */
const slice: Evaluate = (operands, context) => {
  const array = arrayOperand(operands, 1)
  const start = Math.max(positionOperand(operands, 2), 0)
  const stop = Math.max(positionOperand(operands, 3), 0)
  allowValues(context, Math.max(Math.min(stop, array.length) - start, 0))
  return array.slice(start, stop)
}

const reverse: Evaluate = (operands, context) => {
  const array = arrayOperand(operands, 1)
  allowValues(context, array.length)
  return array.toReversed()
}

/** Arrays in the array are replaced by their elements, one level deep. */
const flatten: Evaluate = (operands, context) => {
  const array = arrayOperand(operands, 1)
  allowValues(
    context,
    array.reduce<number>((total, element) => total + (isArray(element) ? element.length : 1), 0),
  )
  return array.flatMap((element) => (isArray(element) ? element : [element]))
}

export const ARRAYS: readonly FunctionBuiltin[] = [
  { name: 'array.concat', arity: 2, evaluate: concat },
  { name: 'array.slice', arity: 3, evaluate: slice },
  { name: 'array.reverse', arity: 1, evaluate: reverse },
  { name: 'array.flatten', arity: 1, evaluate: flatten },
]
