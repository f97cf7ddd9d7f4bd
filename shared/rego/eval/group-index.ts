import type { Comprehension, Literal, Term } from '../ast.ts'
import { plain } from '../ast.ts'
import { addVariables, calleeOf, closuresOf, literalTerms, termClosures, visit } from '../compile/terms.ts'
import { keyOf, RegoSet } from '../value.ts'
import type { Key, Value } from '../value.ts'
import { chargeKey, enclosed } from './charging.ts'
import type { Evaluate, Frame, World } from './evaluation.ts'
import type { RuleScope } from './scope.ts'

/** Most items of one index; a comprehension over more is run as written. */
const MOST_ITEMS = 20_000

/** A comprehension that selects the items of a group: `[y | some y in ys; y.group == g]`, with `g` bound outside. */
interface Grouping {
  /** `g`: variables of the surrounding body that a literal compares, and that nothing else in the comprehension uses */
  readonly keys: readonly string[]
  /** the term that each is compared with, by the comparing literal */
  readonly compared: ReadonlyMap<Literal, Term>
  /** all other variables of the surrounding body */
  readonly others: readonly string[]
}

/** Groups in one world. `others`: the values of the other variables when they were built. */
interface State {
  readonly others: readonly (Value | undefined)[]
  /** undefined before the second evaluation, and if there are too many items */
  groups: ReadonlyMap<Key, Value[] | RegoSet> | undefined
  isTooLarge: boolean
}

/**
 * Evaluates a comprehension that groups items. From its second evaluation on it uses an index of all groups, like the
 * reference: without the index, the groups of n items would take n² steps.
 * @param once evaluates the comprehension without the index
 * @returns undefined for any other comprehension
 */
export function grouped(term: Comprehension, scope: RuleScope, once: Evaluate): Evaluate | undefined {
  const grouping = groupingOf(term, scope)
  if (grouping === undefined) return undefined
  const keySlots = grouping.keys.map((name) => scope.slot(name))
  const otherSlots = grouping.others.map((name) => scope.slot(name))
  const collect = collector(term, grouping, scope)
  const states = new WeakMap<World, State>()
  return (frame) => {
    const { world } = frame
    const state = states.get(world)
    if (state === undefined || !state.others.every((value, i) => value === frame.slots[otherSlots[i] ?? -1])) {
      const others = otherSlots.map((slot) => frame.slots[slot])
      states.set(world, { others, groups: undefined, isTooLarge: false })
      return once(frame)
    }
    if (state.isTooLarge) return once(frame)
    state.groups ??= collect(frame)
    if (state.groups === undefined) {
      state.isTooLarge = true
      return once(frame)
    }
    const group = state.groups.get(keyAt(frame, keySlots)) ?? (term.kind === 'set' ? RegoSet.EMPTY : EMPTY)
    world.evaluation.weigh(group)
    return group
  }
}

const EMPTY: Value[] = []

function keyAt(frame: Frame, slots: readonly number[]): Key {
  const values = slots.map((slot) => frame.slots[slot] ?? null)
  frame.world.evaluation.charge(1)
  for (const value of values) frame.world.evaluation.chargeFor(value)
  return keyOf(values.length === 1 ? (values[0] ?? null) : values)
}

/** Compiles a run of the body without its keys, which sorts the items by the compared values. */
function collector(term: Comprehension, { compared }: Grouping, scope: RuleScope): (frame: Frame) => State['groups'] {
  let groups = new Map<Key, Value[] | RegoSet>()
  let items = 0
  const run = scope.apart(() => {
    const names: string[] = []
    const body = term.body.map((literal) => {
      const right = compared.get(literal)
      if (right === undefined) return literal
      const name = scope.fresh()
      names.push(name)
      return plain({ type: 'unify', left: { type: 'var', name, at: literal.at }, right, assigns: true }, literal.at)
    })
    return scope.bodyRun(body, () => {
      const evaluate = scope.evaluator(term.term)
      const slots = names.map((name) => scope.slot(name))
      return (frame) => {
        const value = evaluate(frame)
        if (value === undefined) return true
        const key = keyAt(frame, slots)
        chargeKey(frame, value)
        const group = groups.get(key) ?? (term.kind === 'set' ? new RegoSet() : [])
        groups.set(key, group)
        if (group instanceof RegoSet) group.add(value)
        else group.push(value)
        return ++items <= MOST_ITEMS
      }
    })
  })
  return (frame) => {
    groups = new Map()
    items = 0
    enclosed(frame, run)
    return items > MOST_ITEMS ? undefined : groups
  }
}

function groupingOf(term: Comprehension, scope: RuleScope): Grouping | undefined {
  if (term.kind === 'object' || !term.body.every(isSimple) || termClosures(term.term).length > 0) return undefined
  const compared = new Map<Literal, Term>()
  const keys: string[] = []
  for (const literal of term.body) {
    const [name, right] = comparison(literal, scope) ?? []
    if (name === undefined || right === undefined || keys.includes(name)) continue
    compared.set(literal, right)
    keys.push(name)
  }
  const rest = term.body.flatMap((literal) => compared.get(literal) ?? literalTerms(literal))
  const used = addVariables([...rest, term.term], new Set())
  if (keys.length === 0 || keys.some((name) => used.has(name))) return undefined
  return { keys, compared, others: [...used].filter((name) => scope.isBound(name)) }
}

/** Neither negated nor modified, without a body of its own, and without a call of the policy's own functions. */
function isSimple(literal: Literal): boolean {
  if (literal.negated || literal.withs.length > 0 || closuresOf(literal).length > 0) return false
  let calls = false
  for (const term of literalTerms(literal))
    visit(term, (inner) => {
      calls ||= inner.type === 'call' && 'path' in calleeOf(inner)
    })
  return !calls
}

/** `a.b == g` or `a.b = g`, in either order, with a variable that is bound outside. (`a = g` may bind `a`.) */
function comparison({ expression }: Literal, scope: RuleScope): readonly [string, Term] | undefined {
  const sides = sidesOf(expression)
  if (sides === undefined) return undefined
  const comparable = expression.type === 'unify' ? ['ref'] : ['ref', 'var']
  for (const [variable, other] of [sides, [sides[1], sides[0]] as const])
    if (variable.type === 'var' && scope.isBound(variable.name) && comparable.includes(other.type))
      return [variable.name, other]
  return undefined
}

/** Both sides of a comparison: `a == b`, or `a = b`. */
export function sidesOf(expression: Literal['expression']): readonly [Term, Term] | undefined {
  if (expression.type === 'unify') return expression.assigns ? undefined : [expression.left, expression.right]
  if (expression.type !== 'term' || expression.term.type !== 'call') return undefined
  const { name, args } = expression.term
  const [left, right] = args
  return name.type === 'var' && name.name === 'equal' && left && right ? [left, right] : undefined
}
