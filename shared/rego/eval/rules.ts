import type { Rule } from '../ast.ts'
import type { Group, PlacedRule } from '../compile/tree.ts'
import { EvaluationError } from '../errors.ts'
import type { Place } from '../errors.ts'
import { equal, keyPart } from '../value.ts'
import type { Value } from '../value.ts'
import { Frame } from './evaluation.ts'
import type { Evaluate, Run, World } from './evaluation.ts'
import { matcher } from './match.ts'
import type { Match } from './match.ts'
import { candidates } from './rule-index.ts'
import type { Candidates } from './rule-index.ts'
import { RuleScope } from './scope.ts'
import type { Compiler } from './scope.ts'
import { same } from './charging.ts'

const ONE_VALUE = 'complete rules must not produce multiple outputs'
const ONE_RESULT = 'functions must not produce multiple outputs for same inputs'

/** A compiled branch of a rule. */
interface Branch {
  readonly size: number
  readonly place: Place
  readonly parameters: readonly Match[]
  readonly run: Run
  readonly otherwise: Branch | undefined
}

interface Chain {
  /** position among the rules of the place, without the default */
  readonly index: number
  readonly first: Branch
  /** the only value that this rule can have, in any of its branches */
  readonly only: Value | undefined
}

interface GroupPlan {
  readonly chains: readonly Chain[]
  readonly candidates: Candidates<Chain>
  readonly fallback: { readonly evaluate: Evaluate; readonly size: number } | undefined
}

/** Compiled at the first use of a group. A plan has no state, so all evaluations share it. */
const plans = new WeakMap<Group, GroupPlan>()

function planOf(group: Group, compiler: Compiler): GroupPlan {
  const known = plans.get(group)
  if (known !== undefined) return known
  const message = group.kind === 'function' ? ONE_RESULT : ONE_VALUE
  const conditional = group.rules.filter(({ rule }) => !rule.isDefault)
  const chains = conditional.map((placed, index): Chain => ({
    index,
    first: branchOf(placed, placed.rule, compiler, message),
    only: onlyValue(placed.rule),
  }))
  const rules = conditional.map(({ rule }) => rule)
  const byDefault = group.rules.find(({ rule }) => rule.isDefault)
  const fallback = byDefault && fallbackOf(byDefault, compiler)
  const plan = { chains, candidates: candidates(chains, rules), fallback }
  plans.set(group, plan)
  return plan
}

function fallbackOf({ rule, source }: PlacedRule, compiler: Compiler): GroupPlan['fallback'] {
  const scope = new RuleScope(compiler, source)
  const evaluate = scope.evaluator(rule.value)
  return { evaluate, size: scope.size }
}

function branchOf({ source }: PlacedRule, rule: Rule, compiler: Compiler, message: string): Branch {
  const scope = new RuleScope(compiler, source)
  const place = source.place(rule.at)
  const parameters = (rule.args ?? []).map((arg) => matcher(arg, scope))
  const run = scope.bodyRun(rule.body, () => keepOne(scope.evaluator(rule.value), isConstant(rule), message, place))
  const otherwise = rule.otherwise && branchOf({ source, place: [], tail: [], rule }, rule.otherwise, compiler, message)
  return { size: scope.size, place, parameters, run, otherwise }
}

/** Keeps the value of the first solution; stops if no other can differ. @throws EvaluationError if one does */
const keepOne =
  (evaluate: Evaluate, constant: boolean, message: string, place: Place): Run =>
  (frame) => {
    const value = evaluate(frame)
    if (value === undefined) return true
    if (frame.result === undefined) {
      frame.result = value
      return !constant
    }
    if (!same(frame, frame.result, value)) throw new EvaluationError('eval_conflict_error', message, place)
    return true
  }

const isConstant = ({ value }: Rule): boolean => value.type === 'const'

function onlyValue(rule: Rule): Value | undefined {
  const { value, otherwise } = rule
  if (value.type !== 'const') return undefined
  if (otherwise === undefined) return value.value
  const rest = onlyValue(otherwise)
  return rest !== undefined && equal(rest, value.value) ? rest : undefined
}

/** Value of a complete rule, or undefined. Computed once per world. @throws EvaluationError for two values */
export function completeValue(world: World, group: Group, compiler: Compiler): Value | undefined {
  const known = world.complete.get(group)
  if (known !== undefined || world.complete.has(group)) return known
  const value = valueOf(world, group, compiler, NO_OPERANDS)
  world.complete.set(group, value)
  return value
}

const NO_OPERANDS: readonly Value[] = []

function valueOf(world: World, group: Group, compiler: Compiler, operands: readonly Value[]): Value | undefined {
  const { evaluation } = world
  const plan = planOf(group, compiler)
  const traced = evaluation.traced === group
  evaluation.enter()
  let result: Value | undefined
  for (const { index, first, only } of traced ? plan.chains : plan.candidates(world)) {
    // Equal values count as one: a rule that cannot add another one is not run.
    if (result !== undefined && only !== undefined && !traced && equal(result, only)) continue
    const value = chainValue(world, first, operands, result, traced ? index : undefined)
    if (value !== undefined) result = value
  }
  if (result === undefined && plan.fallback !== undefined)
    result = plan.fallback.evaluate(new Frame(world, plan.fallback.size))
  evaluation.leave()
  return result
}

/** The result of the first branch with a solution, which must agree with `before`. */
function chainValue(
  world: World,
  first: Branch,
  operands: readonly Value[],
  before: Value | undefined,
  traced: number | undefined,
): Value | undefined {
  const { evaluation } = world
  for (let branch: Branch | undefined = first; branch !== undefined; branch = branch.otherwise) {
    evaluation.charge(1)
    const frame = new Frame(world, branch.size)
    if (!accepts(branch, frame, operands)) continue
    branch.run(frame)
    if (frame.result === undefined) continue
    if (traced !== undefined) evaluation.succeeded.push({ index: traced, place: branch.place })
    if (before !== undefined && !same(frame, before, frame.result))
      throw new EvaluationError('eval_conflict_error', operands.length > 0 ? ONE_RESULT : ONE_VALUE, branch.place)
    return frame.result
  }
  return undefined
}

function accepts({ parameters }: Branch, frame: Frame, operands: readonly Value[]): boolean {
  for (let i = 0; i < parameters.length; i++) if (!parameters[i]?.(frame, operands[i] ?? null)) return false
  return true
}

/** Result of a function of the policy, or undefined. @throws EvaluationError for two results */
export function functionResult(
  world: World,
  group: Group,
  operands: readonly Value[],
  compiler: Compiler,
): Value | undefined {
  // Results for scalar operands are cached: their key is cheap, and shared functions would otherwise be run again and
  // again.
  if (!operands.every(isScalar)) return valueOf(world, group, compiler, operands)
  const key = operands.map(keyPart).join('')
  const memo = world.memo(group)
  const known = memo.get(key)
  if (known !== undefined) return known.value
  const value = valueOf(world, group, compiler, operands)
  world.evaluation.allocate(1, key.length)
  memo.set(key, { value })
  return value
}

const isScalar = (value: Value): boolean => typeof value !== 'object' || value === null
