import { RegoSet } from '../value.ts'
import { OperandError } from './builtin.ts'
import type { FunctionBuiltin } from './builtin.ts'
import { allowValues } from './charging.ts'
import { mustBe, setOperand } from './operands.ts'

type Evaluate = FunctionBuiltin['evaluate']

/** The sets in a set. */
const members = (operands: Parameters<Evaluate>[0]): readonly RegoSet[] =>
  setOperand(operands, 1).elements.map((member) => {
    if (member instanceof RegoSet) return member
    throw new OperandError(1, mustBe('set', member))
  })

/** The intersection of all; empty if there are none. */
const intersection: Evaluate = (operands, context) => {
  const [first = RegoSet.EMPTY, ...others] = members(operands)
  context.charge(first.size * (others.length + 1))
  allowValues(context, first.size)
  return RegoSet.from(first.elements.filter((element) => others.every((other) => other.has(element))))
}

const union: Evaluate = (operands, context) => {
  const sets = members(operands)
  allowValues(
    context,
    sets.reduce((total, set) => total + set.size, 0),
  )
  return RegoSet.from(sets.flatMap((set) => set.elements))
}

const difference: Evaluate = (operands, context) => {
  const first = setOperand(operands, 1)
  const second = setOperand(operands, 2)
  allowValues(context, first.size)
  return RegoSet.from(first.elements.filter((element) => !second.has(element)))
}

export const SETS: readonly FunctionBuiltin[] = [
  { name: 'intersection', arity: 1, evaluate: intersection },
  { name: 'union', arity: 1, evaluate: union },
  { name: 'set_diff', arity: 2, deprecated: true, evaluate: difference },
]
