import type { Call, Literal, Term } from '../ast.ts'
import { FaultAt } from '../errors.ts'
import { MAX_FAULTS } from '../limits.ts'
import type { Value } from '../value.ts'
import { charge } from '../work.ts'
import { replacingFunction, groupAt } from './calls.ts'
import type { Functions } from './calls.ts'
import type { RuleFault } from './conflicts.ts'
import { calleeOf, isRoot, literalTerms, termClosures, visit, visitClosure, visitLiterals } from './terms.ts'
import { pathText, reachable } from './tree.ts'
import type { PlacedRule, TreeNode } from './tree.ts'

/** Most names shown of one cycle. */
const MAX_NAMES = 12

/** Finds rules that depend on themselves. The graph has an edge for every reference, call and replacing function. */
export function findRecursion(rules: readonly PlacedRule[], functions: Functions): RuleFault[] {
  const found: RuleFault[] = []
  const reported = new Set<PlacedRule>()
  const state = new Map<PlacedRule, 'open' | 'done'>()
  const edges = new Map<PlacedRule, PlacedRule[]>()
  const edgesOf = (rule: PlacedRule): PlacedRule[] => {
    const known = edges.get(rule) ?? dependencies(rule, functions)
    edges.set(rule, known)
    return known
  }
  // Depth first with an explicit stack, so that a long chain of rules does not cause deep recursion here.
  for (const start of rules) {
    if (state.has(start)) continue
    const stack = [{ rule: start, next: 0 }]
    state.set(start, 'open')
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      charge()
      const target = edgesOf(top.rule)[top.next++]
      if (target === undefined) {
        state.set(top.rule, 'done')
        stack.pop()
      } else if (state.get(target) === 'open') {
        const cycle = stack.slice(stack.findIndex(({ rule }) => rule === target)).map(({ rule }) => rule)
        for (const [i, rule] of cycle.entries()) {
          if (reported.has(rule)) continue
          reported.add(rule)
          found.push(recursive(rule, [...cycle.slice(i), ...cycle.slice(0, i)]))
          // A graph may have more cycles than can be reported.
          if (found.length >= MAX_FAULTS) return found
        }
      } else if (!state.has(target)) {
        state.set(target, 'open')
        stack.push({ rule: target, next: 0 })
      }
    }
  }
  return found
}

function recursive(rule: PlacedRule, cycle: readonly PlacedRule[]): RuleFault {
  const all = [...cycle, rule].map(({ place }) => pathText(place))
  const names = all.length <= MAX_NAMES ? all : [...all.slice(0, MAX_NAMES - 1), '...', ...all.slice(-1)]
  return {
    rule,
    fault: new FaultAt(
      'rego_recursion_error',
      `rule ${pathText(rule.place)} is recursive: ${names.join(' -> ')}`,
      rule.rule.at,
    ),
  }
}

function dependencies(placed: PlacedRule, functions: Functions): PlacedRule[] {
  const found = new Set<PlacedRule>()
  for (let rule: PlacedRule['rule'] | undefined = placed.rule; rule !== undefined; rule = rule.otherwise) {
    const terms = [...(rule.args ?? []), ...rule.path, rule.value, ...(rule.member ? [rule.member] : [])]
    for (const term of terms) addTerm(term, functions, found)
    for (const term of terms)
      for (const closure of termClosures(term)) {
        for (const given of closure.gives) addTerm(given, functions, found)
        visitClosure(closure, (literal) => addLiteral(literal, functions, found))
      }
    visitLiterals(rule.body, (literal) => addLiteral(literal, functions, found))
  }
  return [...found]
}

function addLiteral(literal: Literal, functions: Functions, found: Set<PlacedRule>): void {
  for (const term of literalTerms(literal)) addTerm(term, functions, found)
  for (const one of literal.withs) {
    const callee = replacingFunction(one)
    if (callee !== undefined && 'path' in callee) addGroup(functions.root, callee.path, found)
  }
}

function addTerm(term: Term, functions: Functions, found: Set<PlacedRule>): void {
  visit(term, (inner) => {
    if (inner.type === 'call') addCall(inner, functions, found)
    if (inner.type === 'ref' && isRoot(inner.head) && inner.head.name === 'data') {
      const path = inner.path.map((key): Value | undefined => (key.type === 'const' ? key.value : undefined))
      for (const rule of reachable(functions.root, path)) if (!rule.rule.args?.length) found.add(rule)
    }
    if (inner.type === 'var' && inner.name === 'data' && isWhole(term, inner))
      for (const rule of reachable(functions.root, [])) if (!rule.rule.args?.length) found.add(rule)
  })
}

/** `data` as a value, not as the head of a reference. */
const isWhole = (term: Term, inner: Term): boolean => term === inner

function addCall(call: Call, functions: Functions, found: Set<PlacedRule>): void {
  const callee = calleeOf(call)
  if ('path' in callee) addGroup(functions.root, callee.path, found)
}

function addGroup(root: TreeNode, path: readonly Value[], found: Set<PlacedRule>): void {
  for (const rule of groupAt(root, path)?.rules ?? []) found.add(rule)
}
