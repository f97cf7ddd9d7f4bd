import { RegoObject, RegoSet, equal, isArray } from '../value.ts'
import type { Value } from '../value.ts'
import type { BuiltinContext } from './builtin.ts'
import { allowValues } from './charging.ts'
import { pathOf } from './json-paths.ts'
import type { Path } from './json-paths.ts'

/**
 * Why a patch does not apply. As in the reference, the reason is not reported: `json.patch` is then undefined, without
 * an error.
 */
class PatchFailed extends Error {
  override readonly name = 'PatchFailed'
}

/**
 * Applies the operations of RFC 6902 in order. Paths may be text or arrays, and may pass through sets: an element is
 * its own step, and can only be added under itself.
 * @returns undefined if one of the operations is malformed or does not apply
 */
export function applyPatch(target: Value, operations: readonly Value[], context: BuiltinContext): Value | undefined {
  try {
    return operations.reduce<Value | undefined>((document, operation) => apply(document, operation, context), target)
  } catch (error) {
    if (error instanceof PatchFailed) return undefined
    throw error
  }
}

function apply(document: Value | undefined, operation: Value, context: BuiltinContext): Value | undefined {
  if (!(operation instanceof RegoObject)) throw new PatchFailed('not an object')
  const part = (name: string): Value => {
    const value = operation.get(name)
    if (value === undefined) throw new PatchFailed(`missing '${name}' attribute`)
    return value
  }
  const path = (name: string): Path => {
    const steps = pathOf(part(name), context)
    if (steps === undefined) throw new PatchFailed('no path')
    return steps
  }
  const change = (whole: Value | undefined, steps: Path, leaf: Leaf): Value | undefined =>
    edited(whole, steps, leaf, context)
  switch (part('op')) {
    case 'add':
      return change(document, path('path'), inserting(part('value')))
    case 'remove':
      return change(document, path('path'), REMOVING)
    case 'replace':
      return change(change(document, path('path'), REMOVING), path('path'), inserting(part('value')))
    case 'move': {
      const moved = found(document, path('from'))
      return change(change(document, path('from'), REMOVING), path('path'), inserting(moved))
    }
    case 'copy':
      return change(document, path('path'), inserting(found(document, path('from'))))
    case 'test':
      if (!equal(found(document, path('path')), part('value'))) throw new PatchFailed('test failed')
      return document
    default:
      throw new PatchFailed('unrecognized op')
  }
}

/** The action at the end of a path: on a step of a collection, or on the whole document. */
interface Leaf {
  readonly whole: () => Value | undefined
  readonly object: (object: RegoObject, key: Value) => RegoObject
  readonly set: (set: RegoSet, element: Value) => RegoSet
  readonly array: (array: readonly Value[], index: number) => readonly Value[]
}

const inserting = (value: Value): Leaf => ({
  whole: () => value,
  object: (object, key) => {
    const copy = object.copy()
    copy.set(key, value)
    return copy
  },
  set: (set, element) => {
    if (!equal(element, value)) throw new PatchFailed('set key does not equal value')
    const copy = set.copy()
    copy.add(value)
    return copy
  },
  array: (array, index) => {
    if (index < 0 || index > array.length) throw new PatchFailed('index out of bounds')
    return array.toSpliced(index, 0, value)
  },
})

const REMOVING: Leaf = {
  whole: () => undefined,
  object: (object, key) => {
    if (!object.has(key)) throw new PatchFailed('no such key')
    return RegoObject.from(Array.from(object.entries()).filter(([other]) => !equal(other, key)))
  },
  set: (set, element) => {
    if (!set.has(element)) throw new PatchFailed('no such element')
    return RegoSet.from(set.elements.filter((other) => !equal(other, element)))
  },
  array: (array, index) => {
    if (index < 0 || index >= array.length) throw new PatchFailed('index out of bounds')
    return array.toSpliced(index, 1)
  },
}

/** `document` with `leaf` applied at the end of `path`; the other parts are shared. */
function edited(document: Value | undefined, path: Path, leaf: Leaf, context: BuiltinContext): Value | undefined {
  const [step, ...rest] = path
  if (step === undefined) return leaf.whole()
  if (document instanceof RegoObject) {
    allowValues(context, document.size)
    if (rest.length === 0) return leaf.object(document, step)
    const copy = document.copy()
    copy.set(step, inner(document.get(step), rest, leaf, context))
    return copy
  }
  if (document instanceof RegoSet) {
    allowValues(context, document.size)
    if (rest.length === 0) return leaf.set(document, step)
    const changed = inner(document.get(step), rest, leaf, context)
    return RegoSet.from([...document.elements.filter((other) => !equal(other, step)), changed])
  }
  if (document === undefined || !isArray(document)) throw new PatchFailed('no collection on the path')
  allowValues(context, document.length)
  const index = indexOf(document, step)
  return rest.length === 0
    ? leaf.array(document, index)
    : document.with(index, inner(document[index], rest, leaf, context))
}

function inner(child: Value | undefined, rest: Path, leaf: Leaf, context: BuiltinContext): Value {
  const changed = child === undefined ? undefined : edited(child, rest, leaf, context)
  if (changed === undefined) throw new PatchFailed('the path does not exist')
  return changed
}

/** `-` is the index after the last element; leading zeros are refused (RFC 6901, section 4). */
function indexOf(array: readonly Value[], step: Value): number {
  if (step === '-') return array.length
  if (typeof step === 'string' && /^-?(?:0|[1-9]\d{0,8})$/.test(step)) return Number(step)
  if (typeof step === 'number') return step
  throw new PatchFailed('no index')
}

function found(document: Value | undefined, path: Path): Value {
  let at = document
  for (const step of path) {
    if (at instanceof RegoObject || at instanceof RegoSet) at = at.get(step)
    else if (at !== undefined && isArray(at)) at = at[indexOf(at, step)]
    else throw new PatchFailed('no collection on the path')
  }
  if (at === undefined) throw new PatchFailed('the path does not exist')
  return at
}
