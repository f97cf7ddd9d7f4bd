import { Float } from '../number.ts'
import type { Num } from '../number.ts'
import { RegoObject, RegoSet, isArray, isNumber, typeName } from '../value.ts'
import type { Value } from '../value.ts'
import { OperandError } from './builtin.ts'

/** One operand of a call; `position` counts from 1. The evaluator has checked that it exists. */
const operand = (operands: readonly Value[], position: number): Value => operands[position - 1] ?? null

/** `must be string but got number`. */
export const mustBe = (expected: string, got: Value): string => `must be ${expected} but got ${typeName(got)}`

/** `must be one of {array, set} but got string`. */
export const mustBeOneOf = (expected: readonly string[], got: Value): string =>
  `must be one of {${expected.join(', ')}} but got ${typeName(got)}`

/** @throws OperandError, as all functions below */
export function stringOperand(operands: readonly Value[], position: number): string {
  const value = operand(operands, position)
  if (typeof value === 'string') return value
  throw new OperandError(position, mustBe('string', value))
}

export function numberOperand(operands: readonly Value[], position: number): Num {
  const value = operand(operands, position)
  if (isNumber(value)) return value
  throw new OperandError(position, mustBe('number', value))
}

export function arrayOperand(operands: readonly Value[], position: number): readonly Value[] {
  const value = operand(operands, position)
  if (isArray(value)) return value
  throw new OperandError(position, mustBe('array', value))
}

export function objectOperand(operands: readonly Value[], position: number): RegoObject {
  const value = operand(operands, position)
  if (value instanceof RegoObject) return value
  throw new OperandError(position, mustBe('object', value))
}

export function setOperand(operands: readonly Value[], position: number): RegoSet {
  const value = operand(operands, position)
  if (value instanceof RegoSet) return value
  throw new OperandError(position, mustBe('set', value))
}

/** An integer of 64 bits written without fraction or exponent, as positions and counts must be. Rounded above 2^53. */
export function positionOperand(operands: readonly Value[], position: number): number {
  const value = numberOperand(operands, position)
  if (value instanceof Float || BigInt.asIntN(64, BigInt(value)) !== BigInt(value))
    throw new OperandError(position, 'must be integer number but got floating-point number')
  return Number(value)
}

/** An element of the wrong type: `must be array of strings but got array containing number`. */
export function elementError(position: number, collection: Value, element: Value, expected: string): OperandError {
  const type = typeName(collection)
  return new OperandError(position, `must be ${type} of ${expected}s but got ${type} containing ${typeName(element)}`)
}

/** The elements of an array or set, in order; undefined for anything else. */
export const elementsOf = (value: Value): readonly Value[] | undefined =>
  isArray(value) ? value : value instanceof RegoSet ? value.elements : undefined

/** The elements of an array or set. @param expected the two names in the order of the message */
export function elementsOperand(
  operands: readonly Value[],
  position: number,
  expected: readonly string[] = ['set', 'array'],
): readonly Value[] {
  const value = operand(operands, position)
  const elements = elementsOf(value)
  if (elements !== undefined) return elements
  throw new OperandError(position, mustBeOneOf(expected, value))
}

/** The elements of an array or set, all strings. */
export function stringsOperand(operands: readonly Value[], position: number, expected?: readonly string[]): string[] {
  return elementsOperand(operands, position, expected).map((element) => {
    if (typeof element === 'string') return element
    throw elementError(position, operand(operands, position), element, 'string')
  })
}
