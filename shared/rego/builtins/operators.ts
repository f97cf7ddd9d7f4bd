import { Float, add, divide, multiply, remainder, subtract, toInteger } from '../number.ts'
import type { Num } from '../number.ts'
import { RegoObject, RegoSet, compare, equal, isArray, isNumber } from '../value.ts'
import type { Value } from '../value.ts'
import { bounded } from './bounded.ts'
import { BuiltinError, OperandError } from './builtin.ts'
import type { BuiltinContext, FunctionBuiltin } from './builtin.ts'
import { mustBe, mustBeOneOf, numberOperand, setOperand } from './operands.ts'

const arithmetic =
  (compute: (a: Num, b: Num) => Num) =>
  (operands: readonly Value[], context: BuiltinContext): Value => {
    const a = numberOperand(operands, 1)
    const b = numberOperand(operands, 2)
    return bounded(context, () => compute(a, b))
  }

/** Difference of numbers or of sets. */
function minus(operands: readonly Value[], context: BuiltinContext): Value {
  const [a = null, b = null] = operands
  if (isNumber(a) && isNumber(b)) return bounded(context, () => subtract(a, b))
  if (a instanceof RegoSet && b instanceof RegoSet) {
    context.charge(a.size)
    context.allocate(a.size)
    return RegoSet.from(a.elements.filter((element) => !b.has(element)))
  }
  if (isNumber(a)) throw new OperandError(2, mustBe('number', b))
  if (a instanceof RegoSet) throw new OperandError(2, mustBe('set', b))
  throw new OperandError(1, mustBeOneOf(['number', 'set'], a))
}

function quotient(operands: readonly Value[], context: BuiltinContext): Value {
  const a = numberOperand(operands, 1)
  const b = numberOperand(operands, 2)
  const result = bounded(context, () => divide(a, b))
  if (result === undefined) throw new BuiltinError('divide by zero')
  return result
}

/** Both operands count as integers if their value is an integer; a fraction has no remainder. */
function modulo(operands: readonly Value[]): Value {
  const a = wholeOrLiteral(numberOperand(operands, 1))
  const b = wholeOrLiteral(numberOperand(operands, 2))
  if (a === undefined || b === undefined) throw new BuiltinError('modulo on floating-point number')
  const result = remainder(a, b)
  if (result === undefined) throw new BuiltinError('modulo by zero')
  return result
}

const wholeOrLiteral = (value: Num): number | bigint | undefined => (value instanceof Float ? toInteger(value) : value)

const comparison =
  (holds: (order: number) => boolean) =>
  (operands: readonly Value[]): Value =>
    holds(compare(operands[0] ?? null, operands[1] ?? null))

function intersect(operands: readonly Value[], context: BuiltinContext): Value {
  const a = setOperand(operands, 1)
  const b = setOperand(operands, 2)
  context.charge(a.size)
  context.allocate(a.size)
  return RegoSet.from(a.elements.filter((element) => b.has(element)))
}

function unite(operands: readonly Value[], context: BuiltinContext): Value {
  const a = setOperand(operands, 1)
  const b = setOperand(operands, 2)
  context.charge(a.size + b.size)
  context.allocate(a.size + b.size)
  return RegoSet.from([...a.elements, ...b.elements])
}

/** `x in xs`: among the elements of an array or set, the values of an object; nothing else has members. */
function isMember(operands: readonly Value[], context: BuiltinContext): Value {
  const [member = null, collection = null] = operands
  if (collection instanceof RegoSet) return collection.has(member)
  const values = collection instanceof RegoObject ? collection.values : isArray(collection) ? collection : []
  context.charge(values.length)
  return values.some((value) => equal(value, member))
}

/** `k, v in xs`: a pair of index or key and value; a set's element is its own key. */
function isMemberPair(operands: readonly Value[]): Value {
  const [key = null, member = null, collection = null] = operands
  const found = collection === null ? undefined : memberAt(collection, key)
  return found !== undefined && equal(found, member)
}

/** The member under a key or index; an element of a set is its own key. Undefined if there is none. */
export function memberAt(collection: Value, key: Value): Value | undefined {
  if (collection instanceof RegoObject) return collection.get(key)
  if (isArray(collection)) return typeof key === 'number' && key >= 0 ? collection[key] : undefined
  return collection instanceof RegoSet ? collection.get(key) : undefined
}

/** The built-ins of operators. Messages use the reference's names. */
export const OPERATORS: readonly FunctionBuiltin[] = [
  { name: 'plus', arity: 2, evaluate: arithmetic(add) },
  { name: 'minus', arity: 2, evaluate: minus },
  { name: 'mul', arity: 2, evaluate: arithmetic(multiply) },
  { name: 'div', arity: 2, evaluate: quotient },
  { name: 'rem', arity: 2, evaluate: modulo },
  { name: 'and', arity: 2, evaluate: intersect },
  { name: 'or', arity: 2, evaluate: unite },
  { name: 'equal', arity: 2, evaluate: (operands) => equal(operands[0] ?? null, operands[1] ?? null) },
  { name: 'neq', arity: 2, evaluate: (operands) => !equal(operands[0] ?? null, operands[1] ?? null) },
  { name: 'lt', arity: 2, evaluate: comparison((order) => order < 0) },
  { name: 'lte', arity: 2, evaluate: comparison((order) => order <= 0) },
  { name: 'gt', arity: 2, evaluate: comparison((order) => order > 0) },
  { name: 'gte', arity: 2, evaluate: comparison((order) => order >= 0) },
  { name: 'internal.member_2', arity: 2, evaluate: isMember },
  { name: 'internal.member_3', arity: 3, evaluate: isMemberPair },
]
