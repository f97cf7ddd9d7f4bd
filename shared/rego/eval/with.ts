import type { With } from '../ast.ts'
import { replacingFunction, groupAt, targetOf } from '../compile/calls.ts'
import type { Callee } from '../compile/terms.ts'
import { pathText } from '../compile/tree.ts'
import type { TreeNode } from '../compile/tree.ts'
import { RegoObject } from '../value.ts'
import type { Value } from '../value.ts'
import { World } from './evaluation.ts'
import type { Documents, Evaluation, Frame, Replacement } from './evaluation.ts'
import type { RuleScope } from './scope.ts'

type Change = (frame: Frame, documents: Documents) => Documents | undefined

/** Compiles the world that the `with`s of a literal define; undefined if one of their values is. */
export function worldMaker(withs: readonly With[], scope: RuleScope): (frame: Frame) => World | undefined {
  const changes = withs.map((one) => changeOf(one, scope))
  return (frame) => {
    const { world } = frame
    let documents: Documents | undefined = world
    for (const change of changes) {
      documents = change(frame, documents)
      if (documents === undefined) return undefined
    }
    return new World(world.evaluation, documents, world)
  }
}

function changeOf(one: With, scope: RuleScope): Change {
  const { target: term, value } = one
  const target = targetOf(term, scope.functions)
  if (typeof target === 'string') throw new TypeError(target)
  if (target.kind === 'function') return replacing(target.callee, one, scope)
  const evaluate = scope.evaluator(value)
  const { path, root } = target
  const node = root === 'data' ? nodeAt(scope.root, path) : undefined
  return (frame, documents) => {
    const given = evaluate(frame)
    if (given === undefined) return undefined
    const { evaluation } = frame.world
    if (root === 'input') return { ...pick(documents), input: placed(documents.input, path, 0, given, evaluation) }
    const data = placed(documents.data, path, 0, given, evaluation)
    const hidden = node === undefined ? documents.hidden : new Set([...(documents.hidden ?? []), node])
    return { ...pick(documents), data, hidden }
  }
}

const pick = ({ input, data, hidden, replaced }: Documents): Documents => ({ input, data, hidden, replaced })

function nodeAt(root: TreeNode, path: readonly Value[]): TreeNode | undefined {
  let node: TreeNode | undefined = root
  for (const key of path) node = node?.child(key)
  return node
}

/** A document with a value put at a path; a non-object on the path is replaced. */
function placed(
  document: Value | undefined,
  path: readonly Value[],
  at: number,
  value: Value,
  evaluation: Evaluation,
): Value {
  const key = path[at]
  if (key === undefined) return value
  const object = document instanceof RegoObject ? document.copy() : new RegoObject()
  evaluation.charge(object.size)
  evaluation.allocate(object.size + 1)
  object.set(key, placed(object.get(key), path, at + 1, value, evaluation))
  return object
}

const keyOfCallee = (callee: Callee): string => ('builtin' in callee ? callee.builtin : pathText(callee.path))

/** Replaces a function by another one, or by a value for all operands. */
function replacing(callee: Callee, one: With, scope: RuleScope): Change {
  const key = keyOfCallee(callee)
  const named = replacingFunction(one)
  const replacement = named && replacementBy(named, scope)
  const evaluate = replacement === undefined ? scope.evaluator(one.value) : undefined
  return (frame, documents) => {
    const given = evaluate?.(frame)
    const chosen: Replacement | undefined =
      replacement ?? (given === undefined ? undefined : { kind: 'value', value: given })
    if (chosen === undefined) return undefined
    return { ...pick(documents), replaced: new Map(documents.replaced).set(key, chosen) }
  }
}

function replacementBy(named: Callee, scope: RuleScope): Replacement | undefined {
  if ('path' in named) {
    const group = groupAt(scope.root, named.path)
    return group && { kind: 'group', group }
  }
  const builtin = scope.builtins.get(named.builtin)
  return builtin && { kind: 'builtin', builtin }
}
