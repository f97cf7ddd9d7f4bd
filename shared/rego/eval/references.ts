import type { Ref, Term } from '../ast.ts'
import { memberAt } from '../builtins/operators.ts'
import { isBound } from '../compile/safety.ts'
import { RegoObject, RegoSet, isArray } from '../value.ts'
import type { Value } from '../value.ts'
import type { Evaluate, Frame, Run } from './evaluation.ts'
import { matcher } from './match.ts'
import type { Match } from './match.ts'
import type { RuleScope } from './scope.ts'

/** A pattern with which every key is matched. */
interface Pattern {
  readonly match: Match
  /** the value that a comparison after the reference accepts: the only element of a set that has to be visited */
  readonly only: Evaluate | undefined
}

/** One key of a reference: known when it is reached, or a pattern. */
export type Key = { readonly known: Evaluate } | Pattern

/**
 * Compiles the keys of a reference, left to right; each binds its variables for the following ones.
 * @param only the value that the next comparison accepts, if there is one
 */
export const keyMakers = (path: readonly Term[], scope: RuleScope, only?: Evaluate): Key[] =>
  path.map((key, at) =>
    isBound(key, scope.bound)
      ? { known: scope.evaluator(key) }
      : { match: matcher(key, scope), only: at === path.length - 1 && key.type === 'var' ? only : undefined },
  )

/** Access to a member; base documents have their own. */
export type Member = (collection: Value, key: Value) => Value | undefined

/** The continuation on a reached value. */
export type Reached = (frame: Frame, value: Value) => boolean

/** Every value at the end of the keys from `at` on. */
export function descend(
  frame: Frame,
  value: Value,
  keys: readonly Key[],
  at: number,
  reached: Reached,
  member: Member = memberAt,
): boolean {
  let current = value
  for (let i = at; i < keys.length; i++) {
    const key = keys[i]
    if (key === undefined) break
    if ('match' in key) return spread(frame, current, key, keys, i, reached, member)
    const name = key.known(frame)
    if (typeof name === 'object' && name !== null) frame.world.evaluation.chargeFor(name)
    const next = name === undefined ? undefined : member(current, name)
    if (next === undefined) return true
    current = next
  }
  return reached(frame, current)
}

function spread(
  frame: Frame,
  value: Value,
  { match, only }: Pattern,
  keys: readonly Key[],
  at: number,
  reached: Reached,
  member: Member,
): boolean {
  const { evaluation } = frame.world
  if (isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      evaluation.charge(1)
      if (!match(frame, index)) continue
      const next = value[index]
      if (next !== undefined && !descend(frame, next, keys, at + 1, reached, member)) return false
    }
    return true
  }
  // An element of a set is its own key.
  const isSet = value instanceof RegoSet
  if (isSet && only !== undefined) return visitOnly(frame, value, match, only, reached)
  for (const name of keysOf(value)) {
    evaluation.charge(1)
    if (!match(frame, name)) continue
    const next = isSet ? name : memberAt(value, name)
    if (next !== undefined && !descend(frame, next, keys, at + 1, reached, member)) return false
  }
  return true
}

/** Looks an element up, at the cost of one step: a policy may compare a member of the input with thousands. */
function visitOnly(frame: Frame, set: RegoSet, match: Match, only: Evaluate, reached: Reached): boolean {
  const { evaluation } = frame.world
  evaluation.charge(1)
  const wanted = set.size === 0 ? undefined : only(frame)
  if (wanted === undefined) return true
  evaluation.chargeFor(wanted)
  const element = set.get(wanted)
  return element === undefined || !match(frame, element) || reached(frame, element)
}

/** Binds every value of a reference that begins with a variable or a term to a name. */
export function referenceRun(
  { head, path }: Ref,
  name: string,
  scope: RuleScope,
  next: () => Run,
  only?: Evaluate,
): Run {
  const base = scope.evaluator(head)
  const keys = keyMakers(path, scope, only)
  const reached = storing(name, scope, next)
  return (frame) => {
    const value = base(frame)
    return value === undefined ? true : descend(frame, value, keys, 0, reached)
  }
}

/** Binds a reached value to a name, then runs the continuation. */
export function storing(name: string, scope: RuleScope, next: () => Run): Reached {
  const slot = scope.bind(name)
  const follow = next()
  return (frame, value) => {
    frame.slots[slot] = value
    return follow(frame)
  }
}

/** Indexes, keys or elements, in Rego's order. */
export function keysOf(value: Value): readonly Value[] {
  if (value instanceof RegoObject) return value.keys
  if (value instanceof RegoSet) return value.elements
  return isArray(value) ? Array.from(value.keys()) : []
}
