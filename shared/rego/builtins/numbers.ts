import { createHash } from 'node:crypto'
import { Float, MAX_INTEGER_BITS, integer, negate, toBigint, toInteger } from '../number.ts'
import type { Num } from '../number.ts'
import { isNumber } from '../value.ts'
import type { Value } from '../value.ts'
import { BuiltinError, OperandError } from './builtin.ts'
import type { BuiltinContext, FunctionBuiltin } from './builtin.ts'
import { mustBe, numberOperand, positionOperand, stringOperand } from './operands.ts'

type Evaluate = FunctionBuiltin['evaluate']

/** An integer of any size; `3.0` counts as one. @throws OperandError */
function bigOperand(operands: readonly Value[], position: number): bigint {
  const value = operands[position - 1] ?? null
  if (!isNumber(value)) throw new OperandError(position, mustBe('integer', value))
  const whole = toBigint(value)
  if (whole !== undefined) return whole
  throw new OperandError(position, 'must be integer number but got floating-point number')
}

const isNegative = (value: Num): boolean => (value instanceof Float ? value.mantissa < 0n : value < 0)

/**
 * Rounds a number to an integer. @param round chooses between the integers below and above, given twice the distance to
 * the lower one
 */
const rounding =
  (round: (below: bigint, twiceRest: bigint, unit: bigint) => bigint): Evaluate =>
  (operands, context) => {
    const value = numberOperand(operands, 1)
    if (!(value instanceof Float)) return value
    if (value.exponent >= 0) return toInteger(value) ?? value
    context.charge(1 + Math.ceil(-value.exponent / 64))
    const bits = BigInt(-value.exponent)
    const below = value.mantissa >> bits // a shift of a negative bigint rounds down
    return integer(round(below, 2n * (value.mantissa - (below << bits)), 1n << bits))
  }

/** Halves are rounded away from zero: up for positive numbers, down for negative ones. */
const toNearest = (below: bigint, twiceRest: bigint, unit: bigint): bigint =>
  twiceRest > unit || (twiceRest === unit && below >= 0n) ? below + 1n : below

/** Downwards if the second number is smaller; both ends inclusive if the step reaches them. */
function range(operands: readonly Value[], step: bigint, context: BuiltinContext): Value {
  const first = bigOperand(operands, 1)
  const last = bigOperand(operands, 2)
  const distance = last < first ? first - last : last - first
  const count = distance / step + 1n
  if (count > BigInt(context.limits.nodes)) return context.exceed('a range has too many numbers')
  context.charge(Number(count))
  context.allocate(Number(count))
  const stride = last < first ? -step : step
  return Array.from({ length: Number(count) }, (_, i) => integer(first + stride * BigInt(i)))
}

const rangeStep: Evaluate = (operands, context) => {
  const [first, last, step] = [bigOperand(operands, 1), bigOperand(operands, 2), bigOperand(operands, 3)]
  if (step <= 0n) throw new BuiltinError('step must be a positive integer')
  return range([integer(first), integer(last)], step, context)
}

const bitwise =
  (combine: (a: bigint, b: bigint) => bigint): Evaluate =>
  (operands, context) => {
    const [a, b] = [bigOperand(operands, 1), bigOperand(operands, 2)]
    context.charge(4)
    return integer(combine(a, b))
  }

/** @throws OperandError for a negative distance */
const shifting =
  (shift: (value: bigint, distance: bigint, context: BuiltinContext) => bigint): Evaluate =>
  (operands, context) => {
    const value = bigOperand(operands, 1)
    const distance = bigOperand(operands, 2)
    if (distance < 0n) throw new OperandError(2, 'must be an unsigned integer number but got a negative integer')
    context.charge(4)
    return integer(shift(value, distance, context))
  }

/** Longest shift that is computed: a longer one empties or overflows any possible integer. */
const LONGEST_SHIFT = BigInt(MAX_INTEGER_BITS)

function shiftLeft(value: bigint, distance: bigint, context: BuiltinContext): bigint {
  if (value === 0n) return 0n
  const shifted = distance > LONGEST_SHIFT ? undefined : value << distance
  if (shifted === undefined || BigInt.asIntN(MAX_INTEGER_BITS, shifted) !== shifted)
    return context.exceed(`integer of over ${MAX_INTEGER_BITS} bits`)
  return shifted
}

const shiftRight = (value: bigint, distance: bigint): bigint =>
  distance > LONGEST_SHIFT ? (value < 0n ? -1n : 0n) : value >> distance

/**
 * One number below n for each name within an evaluation, derived from its seed; the sign of a negative bound is
 * ignored.
 */
const random: Evaluate = (operands, context) => {
  const name = stringOperand(operands, 1)
  const bound = Math.abs(positionOperand(operands, 2))
  if (bound === 0) return 0
  context.charge(10)
  const digest = createHash('sha256')
    .update(JSON.stringify(['rand.intn', context.seed, name, bound]))
    .digest()
  return integer(digest.readBigUInt64BE(0) % BigInt(bound))
}

export const NUMBERS: readonly FunctionBuiltin[] = [
  {
    name: 'abs',
    arity: 1,
    evaluate: (operands) => {
      const value = numberOperand(operands, 1)
      return isNegative(value) ? negate(value) : value
    },
  },
  { name: 'ceil', arity: 1, evaluate: rounding((below, rest) => (rest > 0n ? below + 1n : below)) },
  { name: 'floor', arity: 1, evaluate: rounding((below) => below) },
  { name: 'round', arity: 1, evaluate: rounding(toNearest) },
  { name: 'numbers.range', arity: 2, evaluate: (operands, context) => range(operands, 1n, context) },
  { name: 'numbers.range_step', arity: 3, evaluate: rangeStep },
  { name: 'bits.and', arity: 2, evaluate: bitwise((a, b) => a & b) },
  { name: 'bits.or', arity: 2, evaluate: bitwise((a, b) => a | b) },
  { name: 'bits.xor', arity: 2, evaluate: bitwise((a, b) => a ^ b) },
  { name: 'bits.negate', arity: 1, evaluate: (operands) => integer(~bigOperand(operands, 1)) },
  { name: 'bits.lsh', arity: 2, evaluate: shifting(shiftLeft) },
  { name: 'bits.rsh', arity: 2, evaluate: shifting(shiftRight) },
  { name: 'rand.intn', arity: 2, evaluate: random },
]
