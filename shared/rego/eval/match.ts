import type { Term } from '../ast.ts'
import { isBound, pairsOf, sameShape } from '../compile/safety.ts'
import { RegoObject, isArray } from '../value.ts'
import type { Value } from '../value.ts'
import type { Frame, Step } from './evaluation.ts'
import type { RuleScope } from './scope.ts'
import { same } from './charging.ts'

/** Matches a value with a pattern; binds the pattern's variables if it fits. */
export type Match = (frame: Frame, value: Value) => boolean

/**
 * Compiles the match of a pattern and binds its variables in `scope`. Computed parts of a pattern are compared; a
 * variable that occurs twice must match twice.
 */
export function matcher(pattern: Term, scope: RuleScope): Match {
  if (pattern.type === 'const') {
    const { value: wanted } = pattern
    return typeof wanted === 'string'
      ? (_frame, value) => value === wanted
      : (frame, value) => same(frame, value, wanted)
  }
  if (pattern.type === 'var' && !isBound(pattern, scope.bound)) {
    const slot = scope.bind(pattern.name)
    return (frame, value) => {
      frame.slots[slot] = value
      return true
    }
  }
  if (!isBound(pattern, scope.bound)) {
    if (pattern.type === 'array') return arrayMatcher(pattern.items, scope)
    if (pattern.type === 'object') return objectMatcher(pattern.entries, scope)
  }
  const evaluate = scope.evaluator(pattern)
  return (frame, value) => {
    const wanted = evaluate(frame)
    return wanted !== undefined && same(frame, wanted, value)
  }
}

/** Elements that bind come first, so that elements computed from their variables find them bound. */
const bindingFirst = (a: Term, b: Term): number => Number(computed(a)) - Number(computed(b))
const computed = (term: Term): boolean => term.type !== 'var' && term.type !== 'array' && term.type !== 'object'

function arrayMatcher(items: readonly Term[], scope: RuleScope): Match {
  const matches = items
    .map((item, i) => ({ item, i }))
    .sort((a, b) => bindingFirst(a.item, b.item))
    .map(({ item, i }) => ({ match: matcher(item, scope), i }))
  return (frame, value) => {
    if (!isArray(value) || value.length !== items.length) return false
    for (const { match, i } of matches) if (!match(frame, value[i] ?? null)) return false
    return true
  }
}

function objectMatcher(entries: readonly (readonly [Term, Term])[], scope: RuleScope): Match {
  const matches = [...entries]
    .sort((a, b) => bindingFirst(a[1], b[1]))
    .map(([key, value]) => ({ key: scope.evaluator(key), match: matcher(value, scope) }))
  return (frame, value) => {
    if (!(value instanceof RegoObject) || value.size !== entries.length) return false
    for (const { key, match } of matches) {
      const name = key(frame)
      const member = name === undefined ? undefined : value.get(name)
      if (member === undefined || !match(frame, member)) return false
    }
    return true
  }
}

/**
 * Compiles `left = right`, after all terms with several values were moved out of both: a step that binds the remaining
 * variables.
 */
export function unification(left: Term, right: Term, scope: RuleScope): Step {
  if (isBound(right, scope.bound)) return matchWith(right, left, scope)
  if (isBound(left, scope.bound)) return matchWith(left, right, scope)
  if (!sameShape(left, right)) return never
  // The safety check has shown that there is an order in which one side of each pair is bound.
  const steps: Step[] = []
  let waiting = pairsOf(left, right)
  for (let before = Infinity; waiting.length < before;) {
    before = waiting.length
    waiting = waiting.filter(([a, b]) => {
      if (!isBound(a, scope.bound) && !isBound(b, scope.bound)) return true
      steps.push(isBound(b, scope.bound) ? matchWith(b, a, scope) : matchWith(a, b, scope))
      return false
    })
  }
  return (frame) => steps.every((step) => step(frame))
}

const never: Step = () => false

function matchWith(given: Term, pattern: Term, scope: RuleScope): Step {
  const evaluate = scope.evaluator(given)
  const match = matcher(pattern, scope)
  return (frame) => {
    const value = evaluate(frame)
    return value !== undefined && match(frame, value)
  }
}
