import { RegoObject, RegoSet, isArray, typeName } from '../value.ts'
import type { Value } from '../value.ts'
import { OperandError } from './builtin.ts'
import type { BuiltinContext } from './builtin.ts'
import { allowValues, chargeText } from './charging.ts'
import { elementsOperand } from './operands.ts'

/** Steps from a document to a part of it. Steps of a text path are strings, even if they mean an index. */
export type Path = readonly Value[]

/**
 * A path as text (`a/b`, a leading `/` or none, `~1` for `/` and `~0` for `~`) or as an array of its steps.
 * @returns undefined for anything else
 */
export function pathOf(value: Value, context: BuiltinContext): Path | undefined {
  if (isArray(value)) {
    context.charge(value.length)
    return value
  }
  if (typeof value !== 'string') return undefined
  chargeText(context, value.length * 4)
  if (value === '') return []
  return value
    .replace(/^\/+/, '')
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The paths of `json.filter` and `json.remove`, as a tree whose leaves are null. @throws OperandError */
export function pathsOperand(operands: readonly Value[], context: BuiltinContext): RegoObject {
  const tree = new RegoObject()
  for (const element of elementsOperand(operands, 2)) {
    const path = pathOf(element, context)
    if (path === undefined)
      throw new OperandError(
        2,
        `must be one of {set, array} containing string paths or array of path segments but got ${typeName(element)}`,
      )
    plant(tree, path)
  }
  return tree
}

/** A shorter path includes everything below it, whichever of the two comes first. */
function plant(tree: RegoObject, path: Path): void {
  const last = path.at(-1)
  if (last === undefined) return
  let node = tree
  for (const step of path.slice(0, -1)) {
    const child = node.get(step)
    if (child === null) return
    if (child instanceof RegoObject) node = child
    else {
      const grown = new RegoObject()
      node.set(step, grown)
      node = grown
    }
  }
  node.set(last, null)
}

/** The parts of `value` on the paths. Scalars above the end of a path stay whole. */
export function filterByPaths(value: Value, tree: Value, context: BuiltinContext): Value {
  if (!(tree instanceof RegoObject)) return value
  const keep = (child: Value, step: Value): Value | undefined => {
    const below = tree.get(step)
    return below === undefined ? undefined : filterByPaths(child, below, context)
  }
  return mapChildren(value, keep, context)
}

/** The parts of `value` that are not on the paths. */
export function removeByPaths(value: Value, tree: Value, context: BuiltinContext): Value {
  if (!(tree instanceof RegoObject)) return value
  const keep = (child: Value, step: Value): Value | undefined => {
    const below = tree.get(step)
    return below === null ? undefined : below === undefined ? child : removeByPaths(child, below, context)
  }
  return mapChildren(value, keep, context)
}

/** `value` with each child replaced by the result of `keep`; undefined drops the child. */
function mapChildren(
  value: Value,
  keep: (child: Value, step: Value) => Value | undefined,
  context: BuiltinContext,
): Value {
  if (value instanceof RegoObject) {
    allowValues(context, value.size)
    return RegoObject.from(
      Array.from(value.entries()).flatMap(([key, child]): [Value, Value][] => {
        const kept = keep(child, key)
        return kept === undefined ? [] : [[key, kept]]
      }),
    )
  }
  const elements = isArray(value) ? value : value instanceof RegoSet ? value.elements : undefined
  if (elements === undefined) return value
  allowValues(context, elements.length)
  const kept = elements
    .map((child, index) => keep(child, value instanceof RegoSet ? child : String(index)))
    .filter((child) => child !== undefined)
  return value instanceof RegoSet ? RegoSet.from(kept) : kept
}
