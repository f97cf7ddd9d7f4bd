import type { Term } from '../ast.ts'
import { memberAt } from '../builtins/operators.ts'
import type { Group, TreeNode } from '../compile/tree.ts'
import { RegoObject, compare, keyOf } from '../value.ts'
import type { Value } from '../value.ts'
import type { Evaluate, Frame, Run, World } from './evaluation.ts'
import { depthOf, partialDocument } from './partial.ts'
import { descend, keyMakers, keysOf, storing } from './references.ts'
import type { Key, Reached } from './references.ts'
import { completeValue } from './rules.ts'
import type { Compiler, RuleScope } from './scope.ts'

/** Compiles the evaluation of a reference into `data` whose keys are all bound. */
export function dataEvaluator(path: readonly Term[], scope: RuleScope): Evaluate {
  const direct = completeAt(path, scope.root)
  if (direct !== undefined) return completeEvaluator(direct.group, path.slice(direct.depth), path, scope)
  const keys = path.map((key): Key => ({ known: scope.evaluator(key) }))
  return lookup(keys, path, scope)
}

/** The complete rule at a reference's constant keys, and the number of these keys. */
function completeAt(path: readonly Term[], root: TreeNode): { group: Group; depth: number } | undefined {
  let node: TreeNode | undefined = root
  for (const [depth, key] of path.entries()) {
    node = key.type === 'const' ? node.child(key.value) : undefined
    if (node === undefined) return undefined
    if (node.group !== undefined)
      return node.group.kind === 'complete' ? { group: node.group, depth: depth + 1 } : undefined
  }
  return undefined
}

/** The usual case, a rule by its name: no node on the path has to be looked up again. */
function completeEvaluator(group: Group, rest: readonly Term[], path: readonly Term[], scope: RuleScope): Evaluate {
  const { compiler } = scope
  const evaluators = rest.map((key) => scope.evaluator(key))
  const general = lookup(
    path.map((key): Key => ({ known: scope.evaluator(key) })),
    path,
    scope,
  )
  const { constant } = group
  return (frame) => {
    const { world } = frame
    if (world.hidden !== undefined) return general(frame)
    let value =
      constant === undefined || world.evaluation.traced === group ? completeValue(world, group, compiler) : constant
    for (const evaluate of evaluators) {
      const key = value === undefined ? undefined : evaluate(frame)
      if (value === undefined || key === undefined) return undefined
      value = memberAt(value, key)
    }
    return value
  }
}

function lookup(keys: readonly Key[], path: readonly Term[], scope: RuleScope): Evaluate {
  const enter = entrance(path, scope)
  return (frame) => {
    const outer = frame.reached
    frame.reached = undefined
    enter(frame, keys, keepFirst)
    const value = frame.reached
    frame.reached = outer
    return value
  }
}

type Enter = (frame: Frame, keys: readonly Key[], reached: Reached) => boolean

/** The start of a reference's walk: without base documents and without hidden nodes, the place of its constant keys. */
function entrance(path: readonly Term[], scope: RuleScope): Enter {
  const { compiler, root } = scope
  let place = root
  let depth = 0
  for (const key of path) {
    const child = key.type === 'const' && place.group === undefined ? place.child(key.value) : undefined
    if (child === undefined) break
    place = child
    depth++
  }
  const constant = place.group?.constant
  return (frame, keys, reached) => {
    const { data, hidden } = frame.world
    if (constant !== undefined && hidden === undefined) return descend(frame, constant, keys, depth, reached)
    return data === undefined && hidden === undefined
      ? descendData(frame, place, undefined, keys, depth, reached, compiler)
      : descendData(frame, root, data, keys, 0, reached, compiler)
  }
}

const keepFirst: Reached = (frame, value) => {
  frame.reached = value
  return false
}

/** Binds every value of a reference into `data` to a name, then runs the continuation. */
export function dataRun(path: readonly Term[], name: string, scope: RuleScope, next: () => Run, only?: Evaluate): Run {
  const keys = keyMakers(path, scope, only)
  const enter = entrance(path, scope)
  const reached = storing(name, scope, next)
  return (frame) => enter(frame, keys, reached)
}

/** Walks packages and base documents side by side until a rule, or the end of the keys, is reached. */
function descendData(
  frame: Frame,
  node: TreeNode,
  base: Value | undefined,
  keys: readonly Key[],
  at: number,
  reached: Reached,
  compiler: Compiler,
): boolean {
  const { world } = frame
  if (world.hidden?.has(node)) return base === undefined || descend(frame, base, keys, at, reached, baseMember)
  if (node.group !== undefined) return descendGroup(frame, node.group, keys, at, reached, compiler)
  const key = keys[at]
  if (key === undefined) return reached(frame, documentAt(world, node, base, compiler))
  const below = (name: Value): boolean => {
    const child = node.child(name)
    const member = base === undefined ? undefined : baseMember(base, name)
    if (child !== undefined) return descendData(frame, child, member, keys, at + 1, reached, compiler)
    return member === undefined || descend(frame, member, keys, at + 1, reached, baseMember)
  }
  if ('known' in key) {
    const name = key.known(frame)
    return name === undefined || below(name)
  }
  for (const name of namesAt(node, base)) {
    world.evaluation.charge(1)
    if (key.match(frame, name) && !below(name)) return false
  }
  return true
}

function descendGroup(
  frame: Frame,
  group: Group,
  keys: readonly Key[],
  at: number,
  reached: Reached,
  compiler: Compiler,
): boolean {
  if (group.kind === 'function') return true
  if (group.kind === 'complete') {
    const value = completeValue(frame.world, group, compiler)
    return value === undefined || descend(frame, value, keys, at, reached)
  }
  const bound: Value[] = []
  for (let i = at; bound.length < depthOf(group); i++) {
    const key = keys[i]
    if (key === undefined || 'match' in key) break
    const value = key.known(frame)
    if (value === undefined) return true
    bound.push(value)
  }
  const document = partialDocument(frame.world, group, bound, compiler)
  return document === undefined || descend(frame, document, keys, at + bound.length, reached)
}

/** In base documents an integer also finds the key with its decimal text. */
export function baseMember(base: Value, key: Value): Value | undefined {
  const member = memberAt(base, key)
  if (member !== undefined || typeof key !== 'number' || !(base instanceof RegoObject)) return member
  return base.get(String(key))
}

/** Names at a place: those of packages and rules, and those of base documents. */
function namesAt(node: TreeNode, base: Value | undefined): readonly Value[] {
  const names = new Map([...node.children].map(([key, child]) => [key, child.key] as const))
  for (const name of base === undefined ? [] : keysOf(base)) names.set(keyOf(name), name)
  return [...names.values()].sort(compare)
}

/** The document at a place: its rules and packages, and base documents where there are none. */
function documentAt(world: World, node: TreeNode, base: Value | undefined, compiler: Compiler): Value {
  const object = new RegoObject()
  for (const name of namesAt(node, base)) {
    world.evaluation.charge(1)
    world.evaluation.allocate(1)
    const child = node.child(name)
    const member = base === undefined ? undefined : baseMember(base, name)
    const virtual = child && memberDocument(world, child, member, compiler)
    const value = virtual === undefined ? member : member === undefined ? virtual : merged(member, virtual)
    if (value !== undefined) object.set(name, value)
  }
  return object
}

/** If both have a value, the base document stays, merged object by object. */
function merged(base: Value, virtual: Value): Value {
  if (!(base instanceof RegoObject) || !(virtual instanceof RegoObject)) return base
  const object = virtual.copy()
  for (const [key, value] of base.entries()) {
    const other = virtual.get(key)
    object.set(key, other === undefined ? value : merged(value, other))
  }
  return object
}

function memberDocument(world: World, node: TreeNode, base: Value | undefined, compiler: Compiler): Value | undefined {
  if (world.hidden?.has(node)) return base
  const { group } = node
  if (group === undefined) return documentAt(world, node, base, compiler)
  if (group.kind === 'function') return undefined
  return group.kind === 'complete' ? completeValue(world, group, compiler) : partialDocument(world, group, [], compiler)
}
