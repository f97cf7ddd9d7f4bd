import type { Call } from '../ast.ts'
import { BuiltinError, OperandError } from '../builtins/builtin.ts'
import type { Builtin, FunctionBuiltin, RelationBuiltin } from '../builtins/builtin.ts'
import { groupAt } from '../compile/calls.ts'
import { calleeOf } from '../compile/terms.ts'
import type { Group } from '../compile/tree.ts'
import type { Place } from '../errors.ts'
import type { Value } from '../value.ts'
import type { Evaluate, Evaluation, Frame, Replacement, Run, World } from './evaluation.ts'
import { storing } from './references.ts'
import { functionResult } from './rules.ts'
import type { Compiler, RuleScope } from './scope.ts'
import { same } from './charging.ts'

/** Compiles a call: of an operator, of a built-in, or of a function of the policy, unless a `with` has replaced it. */
export function callEvaluator(call: Call, scope: RuleScope): Evaluate {
  const callee = calleeOf(call)
  const args = call.args.map((arg) => scope.evaluator(arg))
  const place = scope.place(call.at)
  if ('builtin' in callee) {
    const builtin = scope.builtins.get(callee.builtin)
    const [left, right] = args
    if (callee.builtin === 'equal' && left && right) return equality(left, right)
    return builtinCall(callee.builtin, builtin, args, place, scope.compiler)
  }
  const group = groupAt(scope.root, callee.path)
  return group === undefined ? () => undefined : groupCall(group, args, scope.compiler)
}

const equality =
  (left: Evaluate, right: Evaluate): Evaluate =>
  (frame) => {
    const a = left(frame)
    const b = a === undefined ? undefined : right(frame)
    return a === undefined || b === undefined ? undefined : same(frame, a, b)
  }

function builtinCall(
  name: string,
  builtin: Builtin | undefined,
  args: readonly Evaluate[],
  place: Place,
  compiler: Compiler,
): Evaluate {
  const known = builtin !== undefined && 'evaluate' in builtin ? builtin : undefined
  return (frame) => {
    const operands = operandsOf(frame, args)
    if (operands === undefined) return undefined
    const { world } = frame
    const replacement = world.replaced?.get(name)
    if (replacement !== undefined) return replaced(world, replacement, operands, place, compiler)
    return known === undefined ? undefined : applied(known, operands, world.evaluation, place)
  }
}

function groupCall(group: Group, args: readonly Evaluate[], compiler: Compiler): Evaluate {
  const { name } = group
  return (frame) => {
    const operands = operandsOf(frame, args)
    if (operands === undefined) return undefined
    const { world } = frame
    const replacement = world.replaced?.get(name)
    if (replacement !== undefined) return replaced(world, replacement, operands, undefined, compiler)
    return functionResult(world, group, operands, compiler)
  }
}

/** Every operand's value, or undefined if one has none. */
function operandsOf(frame: Frame, args: readonly Evaluate[]): Value[] | undefined {
  const operands: Value[] = []
  for (const evaluate of args) {
    const value = evaluate(frame)
    if (value === undefined) return undefined
    operands.push(value)
  }
  return operands
}

function replaced(
  world: World,
  replacement: Replacement,
  operands: Value[],
  place: Place | undefined,
  compiler: Compiler,
): Value | undefined {
  switch (replacement.kind) {
    case 'value':
      return replacement.value
    case 'builtin':
      return 'evaluate' in replacement.builtin
        ? applied(replacement.builtin, operands, world.evaluation, place)
        : undefined
    case 'group':
      return functionResult(world.unreplaced, replacement.group, operands, compiler)
  }
}

/** A built-in that fails is undefined; strict mode records the first failure. */
function applied(
  builtin: FunctionBuiltin,
  operands: readonly Value[],
  evaluation: Evaluation,
  place: Place | undefined,
): Value | undefined {
  try {
    for (const operand of operands) evaluation.chargeFor(operand)
    const result = builtin.evaluate(operands, evaluation)
    if (typeof result === 'object' && result !== null) evaluation.weigh(result)
    return result
  } catch (error) {
    recordFailure(error, builtin.name, evaluation, place)
    return undefined
  }
}

/** @throws any error except a failure of a built-in */
function recordFailure(error: unknown, name: string, evaluation: Evaluation, place: Place | undefined): void {
  if (!(error instanceof OperandError) && !(error instanceof BuiltinError)) throw error
  const isType = error instanceof OperandError || error.type
  evaluation.recordFailure(isType ? 'eval_type_error' : 'eval_builtin_error', `${name}: ${error.message}`, place)
}

/** Binds every result of a built-in that has many to a name, then runs the continuation. */
export function relationRun(call: Call, name: string, scope: RuleScope, next: () => Run): Run {
  const callee = calleeOf(call)
  const found = 'builtin' in callee ? scope.builtins.get(callee.builtin) : undefined
  const relation: RelationBuiltin | undefined = found !== undefined && 'relate' in found ? found : undefined
  const args = call.args.map((arg) => scope.evaluator(arg))
  const place = scope.place(call.at)
  const reached = storing(name, scope, next)
  return (frame) => {
    const operands = operandsOf(frame, args)
    if (operands === undefined || relation === undefined) return true
    const { evaluation } = frame.world
    try {
      return relation.relate(operands, evaluation, (value) => {
        evaluation.charge(1)
        return reached(frame, value)
      })
    } catch (error) {
      recordFailure(error, relation.name, evaluation, place)
      return true
    }
  }
}
