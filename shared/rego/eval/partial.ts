import type { Term } from '../ast.ts'
import { addVariables } from '../compile/terms.ts'
import type { Group, PlacedRule } from '../compile/tree.ts'
import type { Place } from '../errors.ts'
import { RegoObject, RegoSet, equal, keyOf, keyPart } from '../value.ts'
import type { Key, Value } from '../value.ts'
import { Collector } from './collector.ts'
import { Frame } from './evaluation.ts'
import type { Evaluate, Run, World } from './evaluation.ts'
import { matcher } from './match.ts'
import type { Match } from './match.ts'
import { candidates } from './rule-index.ts'
import type { Candidates } from './rule-index.ts'
import { completeValue } from './rules.ts'
import { RuleScope } from './scope.ts'
import type { Compiler } from './scope.ts'
import { chargeKey, same } from './charging.ts'

/** A rule that contributes parts of a document: its keys below the group's place, and the value there. */
interface Part {
  readonly placed: PlacedRule
  /** keys of the rule below the group, with a set's member as the last */
  readonly keys: readonly Term[]
}

/** A complete rule below a place that other rules fill with keys. */
interface Inner {
  readonly group: Group
  readonly keys: readonly Value[]
}

interface PartialPlan {
  readonly parts: readonly Part[]
  readonly inner: readonly Inner[]
  /** keys that every rule has: at most this many keys of a reference can be bound in advance */
  readonly depth: number
  readonly empty: Value
  /** compiled rules, by the number of keys that are bound in advance */
  readonly ready: Candidates<Ready>[]
}

interface Ready {
  readonly size: number
  readonly place: Place
  readonly bound: readonly Match[]
  readonly run: Run
}

const plans = new WeakMap<Group, PartialPlan>()

function planOf(group: Group): PartialPlan {
  const known = plans.get(group)
  if (known !== undefined) return known
  const parts: Part[] = []
  const inner: Inner[] = []
  const dynamic = group.rules.some(({ tail }) => tail.length > 0)
  for (const other of dynamic ? group.node.groups() : [group]) {
    const below = other.path.slice(group.path.length)
    if (other.kind === 'complete') inner.push({ group: other, keys: below })
    else if (other.kind === 'partial') for (const placed of other.rules) parts.push(partOf(placed, below))
  }
  const depth = Math.min(...parts.map(({ keys }) => keys.length), ...inner.map(({ keys }) => keys.length))
  const plan = { parts, inner, depth, empty: dynamic ? RegoObject.EMPTY : RegoSet.EMPTY, ready: [] }
  plans.set(group, plan)
  return plan
}

function partOf(placed: PlacedRule, below: readonly Value[]): Part {
  const { rule, tail } = placed
  const constants = below.map((value): Term => ({ type: 'const', value, at: rule.at }))
  return { placed, keys: [...constants, ...tail, ...(rule.member ? [rule.member] : [])] }
}

/** Number of a reference's keys that are bound in advance, instead of building the whole document. */
export const depthOf = (group: Group): number => planOf(group).depth

/**
 * The document of partial rules, or with keys the part under them: only rules that can match are run, so conflicts
 * elsewhere in the document are not detected.
 */
export function partialDocument(
  world: World,
  group: Group,
  keys: readonly Value[],
  compiler: Compiler,
): Value | undefined {
  const memo = world.memo(group)
  const key = memoKey(world, keys)
  const known = memo.get(key)
  if (known !== undefined) return known.value
  const { evaluation } = world
  const plan = planOf(group)
  const collector = new Collector()
  evaluation.enter()
  const matching = (plan.ready[keys.length] ??= readyRules(plan.parts, keys.length, compiler))
  for (const ready of matching(world)) {
    evaluation.charge(1)
    const frame = new Frame(world, ready.size)
    frame.collector = collector
    if (accepts(ready.bound, frame, keys)) ready.run(frame)
  }
  for (const { group: complete, keys: place } of plan.inner) {
    if (!keys.every((bound, i) => equal(bound, place[i] ?? null))) continue
    const value = completeValue(world, complete, compiler)
    const [rule] = complete.rules
    if (value !== undefined && rule !== undefined)
      collector.put(place.slice(keys.length), value, rule.source.place(rule.rule.at))
  }
  evaluation.leave()
  const { document } = collector
  const value = document === undefined && keys.length === 0 ? plan.empty : document
  evaluation.allocate(1)
  if (value !== undefined) evaluation.weigh(value)
  memo.set(key, { value })
  return value
}

function accepts(bound: readonly Match[], frame: Frame, keys: readonly Value[]): boolean {
  for (let i = 0; i < bound.length; i++) if (!bound[i]?.(frame, keys[i] ?? null)) return false
  return true
}

/** A single key is used as it is; several become a text that is not the key of any value. */
function memoKey(world: World, keys: readonly Value[]): Key {
  const [first] = keys
  for (const key of keys) world.evaluation.chargeFor(key)
  if (first !== undefined && keys.length === 1) return keyOf(first)
  return `\0k${keys.map(keyPart).join('')}`
}

function readyRules(parts: readonly Part[], count: number, compiler: Compiler): Candidates<Ready> {
  const ready = parts.map((part) => readyFor(part, count, compiler))
  return candidates(
    ready,
    parts.map(({ placed }) => placed.rule),
  )
}

function readyFor({ placed, keys }: Part, count: number, compiler: Compiler): Ready {
  const { rule, source } = placed
  const scope = new RuleScope(compiler, source)
  const place = source.place(rule.at)
  const checks: { slot: number; key: Term }[] = []
  const bound = keys.slice(0, count).map((key): Match => {
    if (isPattern(key)) return matcher(key, scope)
    // A set, or a comprehension, is compared once the body has bound its variables.
    const slot = scope.slot(scope.fresh())
    checks.push({ slot, key })
    return (frame, value) => {
      frame.slots[slot] = value
      return true
    }
  })
  const run = scope.bodyRun(rule.body, () => {
    const verify = checks.map(({ slot, key }) => ({ slot, evaluate: scope.evaluator(key) }))
    const rest = keys.slice(count).map((key) => scope.evaluator(key))
    const deliver =
      rule.member === undefined
        ? deliverValue(rest, scope.evaluator(rule.value), place)
        : deliverMember(rest, place, scope.evaluator(rule.member))
    return (frame) => {
      for (const { slot, evaluate } of verify) {
        const value = evaluate(frame)
        if (value === undefined || !same(frame, value, frame.slots[slot] ?? null)) return true
      }
      return deliver(frame)
    }
  })
  return { size: scope.size, place, bound, run }
}

const isPattern = (term: Term): boolean => {
  if (term.type === 'array') return term.items.every(isPattern)
  if (term.type === 'object')
    return term.entries.every(([key, value]) => addVariables([key], new Set()).size === 0 && isPattern(value))
  return term.type === 'var' || term.type === 'const'
}

const deliverValue =
  (keys: readonly Evaluate[], evaluate: Evaluate, place: Place): Run =>
  (frame) => {
    const path = pathOf(frame, keys)
    const value = evaluate(frame)
    if (path !== undefined && value !== undefined) {
      frame.world.evaluation.allocate(1)
      frame.collector?.put(path, value, place)
    }
    return true
  }

/** The member is the last of the keys; if it was bound in advance, it is itself the value there. */
const deliverMember =
  (keys: readonly Evaluate[], place: Place, member: Evaluate): Run =>
  (frame) => {
    const path = pathOf(frame, keys)
    if (path === undefined) return true
    const last = path.pop()
    if (last !== undefined) frame.collector?.add(path, last, place)
    else {
      const value = member(frame)
      if (value !== undefined) frame.collector?.put([], value, place)
    }
    return true
  }

function pathOf(frame: Frame, keys: readonly Evaluate[]): Value[] | undefined {
  const path: Value[] = []
  for (const evaluate of keys) {
    const key = evaluate(frame)
    if (key === undefined) return undefined
    chargeKey(frame, key)
    path.push(key)
  }
  return path
}
