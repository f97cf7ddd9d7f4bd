import type { Comprehension, Ref, Template, Term } from '../ast.ts'
import { memberAt } from '../builtins/operators.ts'
import { isRoot } from '../compile/terms.ts'
import { EvaluationError } from '../errors.ts'
import { text } from '../text.ts'
import { RegoObject, RegoSet } from '../value.ts'
import type { Value } from '../value.ts'
import { callEvaluator } from './calls.ts'
import { chargeKey, enclosed, same } from './charging.ts'
import { dataEvaluator } from './data.ts'
import { grouped } from './group-index.ts'
import type { Evaluate } from './evaluation.ts'
import type { RuleScope } from './scope.ts'

/** Compiles the evaluation of a term whose variables are all bound, and which has at most one value. */
export function evaluator(term: Term, scope: RuleScope): Evaluate {
  switch (term.type) {
    case 'const': {
      const { value } = term
      return () => value
    }
    case 'var':
      return isRoot(term) ? rootEvaluator(term.name, scope) : slotEvaluator(scope.slot(term.name))
    case 'ref':
      return refEvaluator(term, scope)
    case 'call':
      return callEvaluator(term, scope)
    case 'array':
      return arrayEvaluator(term.items, scope)
    case 'set':
      return setEvaluator(term.items, scope)
    case 'object':
      return objectEvaluator(term.entries, scope)
    case 'comprehension':
      return comprehensionEvaluator(term, scope)
    case 'template':
      return templateEvaluator(term, scope)
  }
}

const slotEvaluator =
  (slot: number): Evaluate =>
  (frame) =>
    frame.slots[slot]

const rootEvaluator = (name: 'data' | 'input', scope: RuleScope): Evaluate =>
  name === 'input' ? (frame) => frame.world.input : dataEvaluator([], scope)

function refEvaluator({ head, path }: Ref, scope: RuleScope): Evaluate {
  if (isRoot(head) && head.name === 'data') return dataEvaluator(path, scope)
  const base = evaluator(head, scope)
  if (path.every((key) => key.type === 'const')) {
    const keys = path.map((key) => key.value)
    return (frame) => {
      let value = base(frame)
      for (let i = 0; value !== undefined && i < keys.length; i++) value = memberAt(value, keys[i] ?? null)
      return value
    }
  }
  const keys = path.map((key) => evaluator(key, scope))
  return (frame) => {
    let value = base(frame)
    for (const evaluate of keys) {
      const key = value === undefined ? undefined : evaluate(frame)
      if (value === undefined || key === undefined) return undefined
      if (typeof key === 'object' && key !== null) frame.world.evaluation.chargeFor(key)
      value = memberAt(value, key)
    }
    return value
  }
}

/** A collection of constants is built once. */
const isConstant = (items: readonly Term[]): boolean => items.every(({ type }) => type === 'const')
const constants = (items: readonly Term[]): Value[] => items.map((item) => (item.type === 'const' ? item.value : null))

function arrayEvaluator(items: readonly Term[], scope: RuleScope): Evaluate {
  if (isConstant(items)) {
    const value = constants(items)
    return () => value
  }
  const evaluators = items.map((item) => evaluator(item, scope))
  return (frame) => {
    frame.world.evaluation.allocate(evaluators.length)
    const values: Value[] = []
    for (const evaluate of evaluators) {
      const value = evaluate(frame)
      if (value === undefined) return undefined
      values.push(value)
    }
    frame.world.evaluation.weigh(values)
    return values
  }
}

function setEvaluator(items: readonly Term[], scope: RuleScope): Evaluate {
  if (isConstant(items)) {
    const value = RegoSet.from(constants(items))
    return () => value
  }
  const evaluators = items.map((item) => evaluator(item, scope))
  return (frame) => {
    const set = new RegoSet()
    for (const evaluate of evaluators) {
      const value = evaluate(frame)
      if (value === undefined) return undefined
      chargeKey(frame, value)
      set.add(value)
    }
    frame.world.evaluation.weigh(set)
    return set
  }
}

function objectEvaluator(entries: readonly (readonly [Term, Term])[], scope: RuleScope): Evaluate {
  if (isConstant(entries.flat())) {
    const value = RegoObject.from(
      entries.map(([key, member]) => [constants([key])[0] ?? null, constants([member])[0] ?? null]),
    )
    return () => value
  }
  const evaluators = entries.map(([key, member]) => [evaluator(key, scope), evaluator(member, scope)] as const)
  return (frame) => {
    const object = new RegoObject()
    for (const [keyEvaluator, memberEvaluator] of evaluators) {
      const key = keyEvaluator(frame)
      const member = key === undefined ? undefined : memberEvaluator(frame)
      if (key === undefined || member === undefined) return undefined
      chargeKey(frame, key)
      object.set(key, member)
    }
    frame.world.evaluation.weigh(object)
    return object
  }
}

function comprehensionEvaluator(term: Comprehension, scope: RuleScope): Evaluate {
  const once = scope.apart(() => {
    switch (term.kind) {
      case 'array':
        return arrayComprehension(term, scope)
      case 'set':
        return setComprehension(term, scope)
      case 'object':
        return objectComprehension(term, scope)
    }
  })
  return grouped(term, scope, once) ?? once
}

function arrayComprehension(term: Comprehension, scope: RuleScope): Evaluate {
  const run = scope.bodyRun(term.body, () => {
    const evaluate = evaluator(term.term, scope)
    return (frame) => {
      const value = evaluate(frame)
      if (value === undefined) return true
      frame.world.evaluation.allocate(1)
      frame.items.push(value)
      return true
    }
  })
  return (frame) => {
    const outer = frame.items
    const items: Value[] = []
    frame.items = items
    enclosed(frame, run)
    frame.items = outer
    frame.world.evaluation.weigh(items)
    return items
  }
}

function setComprehension(term: Comprehension, scope: RuleScope): Evaluate {
  const run = scope.bodyRun(term.body, () => {
    const evaluate = evaluator(term.term, scope)
    return (frame) => {
      const value = evaluate(frame)
      if (value === undefined) return true
      chargeKey(frame, value)
      frame.set.add(value)
      return true
    }
  })
  return (frame) => {
    const outer = frame.set
    const set = new RegoSet()
    frame.set = set
    enclosed(frame, run)
    frame.set = outer
    frame.world.evaluation.weigh(set)
    return set
  }
}

function objectComprehension(term: Comprehension, scope: RuleScope): Evaluate {
  const place = scope.place(term.at)
  const run = scope.bodyRun(term.body, () => {
    const keyEvaluator = evaluator(term.key ?? term.term, scope)
    const evaluate = evaluator(term.term, scope)
    return (frame) => {
      const key = keyEvaluator(frame)
      const value = evaluate(frame)
      if (key === undefined || value === undefined) return true
      const before = frame.object.get(key)
      if (before !== undefined && !same(frame, before, value))
        throw new EvaluationError('eval_conflict_error', 'object keys must be unique', place)
      chargeKey(frame, key)
      frame.object.set(key, value)
      return true
    }
  })
  return (frame) => {
    const outer = frame.object
    const object = new RegoObject()
    frame.object = object
    enclosed(frame, run)
    frame.object = outer
    frame.world.evaluation.weigh(object)
    return object
  }
}

/** Strings are printed bare, other values as Rego text, an undefined hole as `<undefined>`. */
function templateEvaluator({ parts, at }: Template, scope: RuleScope): Evaluate {
  const place = scope.place(at)
  const evaluators = parts.map((part) => (typeof part === 'string' ? part : comprehensionEvaluator(part, scope)))
  return (frame) => {
    let result = ''
    for (const part of evaluators) {
      const values = typeof part === 'string' ? undefined : part(frame)
      if (typeof part === 'string') result += part
      else if (values instanceof RegoSet) {
        if (values.size > 1)
          throw new EvaluationError('eval_conflict_error', 'template-strings must not produce multiple outputs', place)
        result += printed(values.elements[0])
      }
      if (result.length > frame.world.evaluation.limits.stringUnits) frame.world.evaluation.exceed('string too long')
    }
    frame.world.evaluation.allocate(1, result.length)
    return result
  }
}

function printed(value: Value | undefined): string {
  if (value === undefined) return '<undefined>'
  return typeof value === 'string' ? value : text(value)
}
