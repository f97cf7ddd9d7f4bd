import { RegoObject, RegoSet } from '../value.ts'
import type { Value } from '../value.ts'
import { OperandError } from './builtin.ts'
import type { BuiltinContext, FunctionBuiltin, RelationBuiltin } from './builtin.ts'
import { elementsOf, mustBe, objectOperand } from './operands.ts'

type Evaluate = FunctionBuiltin['evaluate']

/** The start nodes. The message is that of the reference, which includes the braces in the type's name. */
function startsOperand(operands: readonly Value[]): readonly Value[] {
  const value = operands[1] ?? null
  const starts = elementsOf(value)
  if (starts === undefined) throw new OperandError(2, mustBe('{array, set}', value))
  return starts
}

/** All nodes reachable in the graph, including the starts. Values that are not keys of the graph are not nodes. */
const reachable: Evaluate = (operands, context) => {
  const graph = objectOperand(operands, 1)
  const reached = new RegoSet()
  const waiting = [...startsOperand(operands)]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    context.charge(1)
    const edges = graph.get(node)
    if (edges === undefined || reached.has(node)) continue
    context.allocate(1)
    reached.add(node)
    const neighbours = elementsOf(edges) ?? []
    context.charge(neighbours.length)
    for (const neighbour of neighbours) waiting.push(neighbour)
  }
  return reached
}

/**
 * Paths from the starts to their ends: at a node without edges, before a node that is not in the graph, or before a
 * node that the path already contains. There can be very many; each step of each path is charged.
 */
const reachablePaths: Evaluate = (operands, context) => {
  const graph = objectOperand(operands, 1)
  const paths = new RegoSet()
  const follow = (node: Value, path: readonly Value[], seen: RegoSet): void => {
    context.charge(1 + path.length)
    const edges = graph.get(node)
    if (edges === undefined) return keep(paths, path, context)
    if (path.length > context.limits.callDepth) return context.exceed('a path of a graph is too long')
    const longer = [...path, node]
    const neighbours = elementsOf(edges) ?? []
    if (neighbours.length === 0) return keep(paths, longer, context)
    const now = seen.copy()
    now.add(node)
    for (const neighbour of neighbours)
      if (now.has(neighbour)) keep(paths, longer, context)
      else follow(neighbour, longer, now)
  }
  for (const start of startsOperand(operands)) if (graph.has(start)) follow(start, [], new RegoSet())
  return paths
}

function keep(paths: RegoSet, path: readonly Value[], context: BuiltinContext): void {
  context.charge(path.length)
  context.allocate(path.length + 1)
  paths.add(path)
}

/** Every part of a value with its path: the value itself first, then its parts. An element of a set is its own step. */
const walk: RelationBuiltin['relate'] = ([value = null], context, answer) => visit(value, [], context, answer)

function visit(
  value: Value,
  path: readonly Value[],
  context: BuiltinContext,
  answer: (result: Value) => boolean,
): boolean {
  context.charge(2 + path.length)
  context.allocate(path.length + 2)
  if (path.length > context.limits.callDepth) return context.exceed('a value is nested too deeply to be walked')
  if (!answer([path, value])) return false
  if (value instanceof RegoObject) {
    for (const [key, member] of value.entries()) if (!visit(member, [...path, key], context, answer)) return false
    return true
  }
  for (const [index, element] of (elementsOf(value) ?? []).entries())
    if (!visit(element, [...path, value instanceof RegoSet ? element : index], context, answer)) return false
  return true
}

export const GRAPHS: readonly (FunctionBuiltin | RelationBuiltin)[] = [
  { name: 'graph.reachable', arity: 2, evaluate: reachable },
  { name: 'graph.reachable_paths', arity: 2, evaluate: reachablePaths },
  { name: 'walk', arity: 1, relate: walk },
]
