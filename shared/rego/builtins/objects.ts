import { RegoObject, RegoSet, equal, isArray } from '../value.ts'
import type { Value } from '../value.ts'
import { BuiltinError, OperandError } from './builtin.ts'
import type { BuiltinContext, FunctionBuiltin } from './builtin.ts'
import { allowValues } from './charging.ts'
import { filterByPaths, pathsOperand, removeByPaths } from './json-paths.ts'
import { applyPatch } from './json-patch.ts'
import { arrayOperand, elementError, elementsOf, mustBeOneOf, objectOperand } from './operands.ts'
import { memberAt } from './operators.ts'

type Evaluate = FunctionBuiltin['evaluate']

/** An array as the key is a path; the empty path is the object itself. */
const get: Evaluate = (operands, context) => {
  const object = objectOperand(operands, 1)
  const [, key = null, otherwise = null] = operands
  if (!isArray(key)) return object.get(key) ?? otherwise
  context.charge(key.length)
  let found: Value | undefined = object
  for (const step of key) found = found === undefined ? undefined : memberAt(found, step)
  return found ?? otherwise
}

const keys: Evaluate = (operands, context) => {
  const object = objectOperand(operands, 1)
  allowValues(context, object.size)
  return RegoSet.from(object.keys)
}

/** The keys named by an array, a set or the keys of an object. */
function keysOperand(operands: readonly Value[]): RegoSet {
  const named = operands[1] ?? null
  if (named instanceof RegoSet) return named
  const elements = named instanceof RegoObject ? named.keys : elementsOf(named)
  if (elements === undefined) throw new OperandError(2, mustBeOneOf(['object', 'set', 'array'], named))
  return RegoSet.from(elements)
}

const keeping =
  (keeps: (named: boolean) => boolean): Evaluate =>
  (operands, context) => {
    const object = objectOperand(operands, 1)
    const named = keysOperand(operands)
    allowValues(context, object.size + named.size)
    return RegoObject.from(Array.from(object.entries()).filter(([key]) => keeps(named.has(key))))
  }

/** Merges `other` into `target`: objects under the same key are merged, everything else is replaced. */
function mergeInto(target: RegoObject, other: RegoObject, context: BuiltinContext): void {
  allowValues(context, other.size)
  for (const [key, value] of other.entries()) {
    const before = target.get(key)
    if (!(before instanceof RegoObject) || !(value instanceof RegoObject)) {
      target.set(key, value)
      continue
    }
    allowValues(context, before.size)
    const merged = before.copy()
    mergeInto(merged, value, context)
    target.set(key, merged)
  }
}

const union: Evaluate = (operands, context) => {
  const first = objectOperand(operands, 1)
  const second = objectOperand(operands, 2)
  allowValues(context, first.size)
  const result = first.copy()
  mergeInto(result, second, context)
  return result
}

const unionOfAll: Evaluate = (operands, context) => {
  const objects = arrayOperand(operands, 1)
  const result = new RegoObject()
  for (const object of objects) {
    if (!(object instanceof RegoObject)) throw elementError(1, objects, object, 'object')
    mergeInto(result, object, context)
  }
  return result
}

/** Objects and, inside them, sets and arrays are compared part by part; elements of sets and arrays only as a whole. */
function isSubset(whole: Value, part: Value, context: BuiltinContext): boolean | undefined {
  if (whole instanceof RegoObject && part instanceof RegoObject) {
    context.charge(part.size)
    return part.keys.every((key) => {
      const [inner, wanted] = [whole.get(key), part.get(key)]
      if (inner === undefined || wanted === undefined) return false
      if (isArray(inner) && wanted instanceof RegoSet) return false
      return equal(inner, wanted) || isSubset(inner, wanted, context) === true
    })
  }
  if (whole instanceof RegoSet && part instanceof RegoSet) {
    context.charge(part.size)
    return part.elements.every((element) => whole.has(element))
  }
  if (!isArray(whole)) return undefined
  if (part instanceof RegoSet) {
    context.charge(whole.length + part.size)
    const elements = RegoSet.from(whole)
    return part.elements.every((element) => elements.has(element))
  }
  return isArray(part) ? isRun(whole, part, context) : undefined
}

/** Whether `part` occurs contiguously in `whole`. */
function isRun(whole: readonly Value[], part: readonly Value[], context: BuiltinContext): boolean {
  for (let start = 0; start + part.length <= whole.length; start += 1) {
    context.charge(1)
    let same = 0
    while (same < part.length && equal(whole[start + same] ?? null, part[same] ?? null)) {
      context.charge(1)
      same += 1
    }
    if (same === part.length) return true
  }
  return false
}

const subset: Evaluate = ([whole = null, part = null], context) => {
  const answer = isSubset(whole, part, context)
  if (answer !== undefined) return answer
  throw new BuiltinError('both arguments object.subset must be of the same type or array and set', { type: true })
}

const jsonFilter: Evaluate = (operands, context) =>
  filterByPaths(objectOperand(operands, 1), pathsOperand(operands, context), context)

const jsonRemove: Evaluate = (operands, context) =>
  removeByPaths(objectOperand(operands, 1), pathsOperand(operands, context), context)

const jsonPatch: Evaluate = (operands, context) => applyPatch(operands[0] ?? null, arrayOperand(operands, 2), context)

export const OBJECTS: readonly FunctionBuiltin[] = [
  { name: 'object.get', arity: 3, evaluate: get },
  { name: 'object.keys', arity: 1, evaluate: keys },
  { name: 'object.filter', arity: 2, evaluate: keeping((named) => named) },
  { name: 'object.remove', arity: 2, evaluate: keeping((named) => !named) },
  { name: 'object.union', arity: 2, evaluate: union },
  { name: 'object.union_n', arity: 1, evaluate: unionOfAll },
  { name: 'object.subset', arity: 2, evaluate: subset },
  { name: 'json.filter', arity: 2, evaluate: jsonFilter },
  { name: 'json.remove', arity: 2, evaluate: jsonRemove },
  { name: 'json.patch', arity: 2, evaluate: jsonPatch },
]
