import type { Body, Call, Every, Expression, Literal, Ref, Term } from '../ast.ts'
import { isTrue, plain } from '../ast.ts'
import { memberAt } from '../builtins/operators.ts'
import { isBound } from '../compile/safety.ts'
import { calleeOf, isRoot, mapParts, parts } from '../compile/terms.ts'
import { RegoObject, RegoSet, isArray } from '../value.ts'
import type { Value } from '../value.ts'
import { relationRun } from './calls.ts'
import { enclosed } from './charging.ts'
import { dataRun } from './data.ts'
import type { Evaluate, Frame, Run, Step } from './evaluation.ts'
import { sidesOf } from './group-index.ts'
import { matcher, unification } from './match.ts'
import { keysOf, referenceRun } from './references.ts'
import type { RuleScope } from './scope.ts'
import { worldMaker } from './with.ts'

/**
 * Compiles the search for the solutions of a body. `done` compiles the continuation for each solution, where the body's
 * variables are bound. Literals with at most one outcome run in a loop; only those that iterate nest.
 */
export function bodyRun(body: Body, scope: RuleScope, done: () => Run): Run {
  return from(body, 0, scope, done)
}

function from(body: Body, start: number, scope: RuleScope, done: () => Run): Run {
  const steps: Step[] = []
  for (let i = start; i < body.length; i++) {
    const literal = body[i]
    if (literal === undefined || isTrue(literal)) continue
    if (iterates(literal, scope)) {
      const iterating = iteratingRun(literal, scope, () => from(body, i + 1, scope, done), body[i + 1])
      return inTurn(steps, iterating)
    }
    steps.push(literalStep(literal, scope))
  }
  return inTurn(steps, done())
}

/** Runs tests one after the other, then the continuation. A step is charged for each. */
function inTurn(steps: readonly Step[], next: Run): Run {
  const [first, second] = steps
  if (first === undefined) return next
  if (second === undefined)
    return (frame) => {
      frame.world.evaluation.charge(1)
      return first(frame) ? next(frame) : true
    }
  return (frame) => {
    const { evaluation } = frame.world
    for (const step of steps) {
      evaluation.charge(1)
      if (!step(frame)) return true
    }
    return next(frame)
  }
}

/** Whether a literal may have several solutions: a reference with a variable to bind, a built-in with many results. */
function iterates({ negated, expression }: Literal, scope: RuleScope): boolean {
  if (negated) return false
  if (expression.type === 'term') return isMany(expression.term, scope)
  if (expression.type === 'unify') return isMany(expression.left, scope) || isMany(expression.right, scope)
  return expression.type === 'every' && isMany(expression.domain, scope)
}

function isMany(term: Term, scope: RuleScope): boolean {
  if (term.type === 'ref' && term.path.some((key) => !isBound(key, scope.bound))) return true
  if (term.type === 'call' && relationOf(term, scope)) return true
  return parts(term).some((part) => isMany(part, scope))
}

const relationOf = (call: Call, scope: RuleScope): boolean => {
  const callee = calleeOf(call)
  const builtin = 'builtin' in callee ? scope.builtins.get(callee.builtin) : undefined
  return builtin !== undefined && 'relate' in builtin
}

/**
 * Moves terms with many values out, ready ones first, and runs the rest for each of their values.
 * @param following the next literal, which may accept only one of the values
 */
function iteratingRun(literal: Literal, scope: RuleScope, next: () => Run, following?: Literal): Run {
  if (literal.withs.length > 0) return withRun(literal, scope, next)
  const direct = directUnification(literal, scope)
  if (direct !== undefined)
    return manyRun(direct.many, direct.name, scope, next, following && acceptedValue(following, direct.name, scope))
  const many = literalTerms(literal)
    .map((term) => firstMany(term, scope))
    .find((found) => found !== undefined)
  if (many === undefined) {
    const step = literalStep(literal, scope)
    return inTurn([step], next())
  }
  const name = scope.fresh()
  const rest = replaceIn(literal, many, { type: 'var', name, at: many.at })
  const run = (): Run => {
    if (iterates(rest, scope)) return iteratingRun(rest, scope, next)
    const step = literalStep(rest, scope)
    return inTurn([step], next())
  }
  return manyRun(many, name, scope, run, acceptedValue(rest, name, scope))
}

/** The one value of a variable for which a literal can succeed: that of the other side of an equality. */
function acceptedValue(literal: Literal, name: string, scope: RuleScope): Evaluate | undefined {
  if (literal.negated || literal.withs.length > 0) return undefined
  const [left, right] = sidesOf(literal.expression) ?? []
  const other = isNamed(left, name) ? right : isNamed(right, name) ? left : undefined
  return other !== undefined && isBound(other, scope.bound) && !isMany(other, scope)
    ? scope.evaluator(other)
    : undefined
}

const isNamed = (term: Term | undefined, name: string): boolean => term?.type === 'var' && term.name === name

const literalTerms = ({ expression }: Literal): readonly Term[] => {
  if (expression.type === 'term') return [expression.term]
  if (expression.type === 'unify') return [expression.left, expression.right]
  return expression.type === 'every' ? [expression.domain] : []
}

/** `x = xs[_]` needs no intermediate value. */
function directUnification({ expression }: Literal, scope: RuleScope): { many: Ref | Call; name: string } | undefined {
  if (expression.type !== 'unify') return undefined
  for (const [variable, many] of [
    [expression.left, expression.right],
    [expression.right, expression.left],
  ] as const) {
    if (variable.type !== 'var' || isRoot(variable) || scope.isBound(variable.name)) continue
    const first = firstMany(many, scope)
    // The reference may bind the variable itself: `x = xs[x]`.
    if (first !== many || mentions(many, variable.name)) continue
    return { many: first, name: variable.name }
  }
  return undefined
}

const mentions = (term: Term, name: string): boolean =>
  (term.type === 'var' && term.name === name) || parts(term).some((part) => mentions(part, name))

/** The innermost term with many values whose own variables are bound. */
function firstMany(term: Term, scope: RuleScope): Ref | Call | undefined {
  for (const part of parts(term)) {
    const inner = firstMany(part, scope)
    if (inner !== undefined) return inner
  }
  if (term.type === 'ref' && isBound(term.head, scope.bound) && isMany(term, scope)) return term
  if (term.type === 'call' && relationOf(term, scope) && isBound(term, scope.bound)) return term
  return undefined
}

function replaceIn(literal: Literal, many: Term, by: Term): Literal {
  const change = (term: Term): Term => (term === many ? by : mapParts(term, change))
  const { expression } = literal
  const changed = (): Expression => {
    if (expression.type === 'term') return { ...expression, term: change(expression.term) }
    if (expression.type === 'unify')
      return { ...expression, left: change(expression.left), right: change(expression.right) }
    return expression.type === 'every' ? { ...expression, domain: change(expression.domain) } : expression
  }
  return { ...literal, expression: changed() }
}

/** Binds every value of a term to a name, then runs the continuation. */
function manyRun(many: Ref | Call, name: string, scope: RuleScope, next: () => Run, only?: Evaluate): Run {
  if (many.type === 'call') return relationRun(many, name, scope, next)
  if (isRoot(many.head) && many.head.name === 'data') return dataRun(many.path, name, scope, next, only)
  return referenceRun(many, name, scope, next, only)
}

/** A literal with at most one outcome. */
function literalStep(literal: Literal, scope: RuleScope): Step {
  if (literal.withs.length > 0) return withStep(literal, scope)
  const step = literal.negated
    ? scope.apart(() => negatedStep(literal, scope))
    : expressionStep(literal.expression, scope)
  return step
}

/** Plain negation: everything that has several values, or calls, is evaluated before it; the rest may still iterate. */
function negatedStep(literal: Literal, scope: RuleScope): Step {
  const run = bodyRun([{ ...literal, negated: false, withs: [] }], scope, () => stop)
  return (frame) => !succeeds(frame, run)
}

const stop: Run = (frame) => {
  frame.found = true
  return false
}

/** Whether a subquery has a solution. */
function succeeds(frame: Frame, run: Run): boolean {
  const outer = frame.found
  frame.found = false
  enclosed(frame, run)
  const { found } = frame
  frame.found = outer
  return found
}

function expressionStep(expression: Expression, scope: RuleScope): Step {
  switch (expression.type) {
    case 'term': {
      const evaluate = scope.evaluator(expression.term)
      return (frame) => {
        const value = evaluate(frame)
        return value !== undefined && value !== false
      }
    }
    case 'unify':
      return unification(expression.left, expression.right, scope)
    case 'every':
      return everyStep(expression, scope)
    case 'not': {
      const run = scope.apart(() => bodyRun(expression.body, scope, () => stop))
      return (frame) => !succeeds(frame, run)
    }
    default:
      return () => true
  }
}

/** Fails on the first member of the domain for which the body has no solution; a scalar has no members. */
function everyStep({ domain, key, value, body }: Every, scope: RuleScope): Step {
  const evaluate = scope.evaluator(domain)
  return scope.apart(() => {
    const matchKey = key && matcher(key, scope)
    const matchValue = matcher(value, scope)
    const run = bodyRun(body, scope, () => stop)
    return (frame) => {
      const members = evaluate(frame)
      if (members === undefined || !isCollection(members)) return false
      for (const name of keysOf(members)) {
        frame.world.evaluation.charge(1)
        const member = memberAt(members, name) ?? null
        if (matchKey && !matchKey(frame, name)) return false
        if (!matchValue(frame, member) || !succeeds(frame, run)) return false
      }
      return true
    }
  })
}

const isCollection = (value: Value): boolean =>
  isArray(value) || value instanceof RegoObject || value instanceof RegoSet

/** Runs the literal in the world of its `with`s, and the continuation in the surrounding world. */
function withRun(literal: Literal, scope: RuleScope, next: () => Run): Run {
  const make = worldMaker(literal.withs, scope)
  const inner = plain(literal.expression, literal.at)
  const run = iteratingRun(inner, scope, () => {
    const follow = next()
    return (frame) => {
      const inside = frame.world
      if (inside.outer !== undefined) frame.world = inside.outer
      const go = follow(frame)
      frame.world = inside
      return go
    }
  })
  return (frame) => {
    const outside = frame.world
    const inside = make(frame)
    if (inside === undefined) return true
    frame.world = inside
    const go = run(frame)
    frame.world = outside
    return go
  }
}

function withStep(literal: Literal, scope: RuleScope): Step {
  const make = worldMaker(literal.withs, scope)
  const step = literalStep({ ...literal, withs: [] }, scope)
  return (frame) => {
    const outside = frame.world
    const inside = make(frame)
    if (inside === undefined) return false
    frame.world = inside
    const go = step(frame)
    frame.world = outside
    return go
  }
}
