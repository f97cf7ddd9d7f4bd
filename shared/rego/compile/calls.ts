import type { Call, Literal, Term, With } from '../ast.ts'
import type { Builtin } from '../builtins/builtin.ts'
import { FaultAt } from '../errors.ts'
import type { Value } from '../value.ts'
import { charge } from '../work.ts'
import type { Callee } from './terms.ts'
import { calleeOf, isRoot, literalTerms, visit } from './terms.ts'
import { pathText } from './tree.ts'
import type { Group, TreeNode } from './tree.ts'

/** The functions that can be called. */
export interface Functions {
  readonly root: TreeNode
  readonly builtins: ReadonlyMap<string, Builtin>
}

/** The group at a path of `data`, if it has rules. */
export function groupAt(root: TreeNode, path: readonly Value[]): Group | undefined {
  let node: TreeNode | undefined = root
  for (const key of path) node = node?.child(key)
  return node?.group
}

/** Number of operands of a callee; undefined if it does not exist. */
export function arityOf(functions: Functions, callee: Callee): number | undefined {
  if ('builtin' in callee) return functions.builtins.get(callee.builtin)?.arity
  const group = groupAt(functions.root, callee.path)
  return group?.isCallable ? group.arity : undefined
}

const nameOf = (callee: Callee): string => ('builtin' in callee ? callee.builtin : pathText(callee.path))

/**
 * Checks every call of a literal, except those in closures: it exists, has the right number of operands, and is not
 * deprecated in this dialect.
 */
export function checkCalls(literal: Literal, functions: Functions, strict: boolean, faults: FaultAt[]): void {
  for (const term of literalTerms(literal)) checkTermCalls(term, functions, strict, faults)
}

export function checkTermCalls(term: Term, functions: Functions, strict: boolean, faults: FaultAt[]): void {
  visit(term, (inner) => {
    if (inner.type === 'call') checkCall(inner, functions, strict, faults)
  })
}

function checkCall(call: Call, functions: Functions, strict: boolean, faults: FaultAt[]): void {
  const callee = calleeOf(call)
  const fault = (message: string): void => void faults.push(new FaultAt('rego_type_error', message, call.at))
  const arity = arityOf(functions, callee)
  if (arity === undefined) return fault(`undefined function ${nameOf(callee)}`)
  if (call.args.length !== arity)
    fault(
      `function ${nameOf(callee)} has arity ${arity}, got ${call.args.length} argument${call.args.length === 1 ? '' : 's'}`,
    )
  if (strict && 'builtin' in callee && functions.builtins.get(callee.builtin)?.deprecated)
    fault(`deprecated built-in function calls in expression: ${callee.builtin}`)
}

/** The target of a `with`. */
export type Target =
  | { readonly kind: 'document'; readonly root: 'input' | 'data'; readonly path: readonly Value[] }
  | { readonly kind: 'function'; readonly callee: Callee; readonly arity: number }

/** @returns a sentence with the reason if the target is refused */
export function targetOf(target: Term, functions: Functions): Target | string {
  const callee = nameTerm(target)
  if (callee === undefined) return 'with keyword target must reference existing input, data, or a function'
  if ('document' in callee) return { kind: 'document', root: callee.document, path: callee.path }
  const arity = arityOf(functions, callee)
  if (arity !== undefined) return { kind: 'function', callee, arity }
  if ('builtin' in callee) return 'with keyword target must reference existing input, data, or a function'
  return { kind: 'document', root: 'data', path: callee.path }
}

/** The callee that a term without operands names; a document if it begins with `input`. */
export function nameTerm(
  term: Term,
): Callee | { readonly document: 'input' | 'data'; readonly path: readonly Value[] } | undefined {
  if (term.type === 'var')
    return isRoot(term) ? { document: term.name === 'input' ? 'input' : 'data', path: [] } : { builtin: term.name }
  if (term.type !== 'ref' || term.head.type !== 'var') return undefined
  const path: Value[] = []
  for (const key of term.path) {
    if (key.type !== 'const') return undefined
    path.push(key.value)
  }
  if (term.head.name === 'input') return { document: 'input', path }
  return isRoot(term.head) ? { path } : { builtin: [term.head.name, ...path.map(String)].join('.') }
}

/** The function that replaces another one in a `with`, unless a value replaces it. */
export const replacingFunction = ({ by }: With): Callee | undefined =>
  by && calleeOf({ type: 'call', name: by, args: [], at: by.at })

/** Checks the `with`s of a literal. */
export function checkWiths(literal: Literal, functions: Functions, faults: FaultAt[]): void {
  for (const one of literal.withs) {
    charge()
    const { target: term, at } = one
    const target = targetOf(term, functions)
    if (typeof target === 'string') faults.push(new FaultAt('rego_type_error', target, at))
    else if (target.kind === 'document') checkDocument(target.root, target.path, functions, at, faults)
    else checkReplacement(target.callee, target.arity, replacingFunction(one), functions, at, faults)
  }
}

/** A rule's document can only be replaced as a whole. */
function checkDocument(
  root: 'input' | 'data',
  path: readonly Value[],
  functions: Functions,
  at: number,
  faults: FaultAt[],
): void {
  if (root === 'input') return
  let node: TreeNode | undefined = functions.root
  for (const key of path) {
    if (node?.group !== undefined) {
      faults.push(new FaultAt('rego_compile_error', 'with keyword cannot partially replace virtual document(s)', at))
      return
    }
    node = node?.child(key)
  }
}

const OPERATOR_NAMES: ReadonlySet<string> = new Set([
  'plus',
  'minus',
  'mul',
  'div',
  'rem',
  'and',
  'or',
  'eq',
  'assign',
  'equal',
  'neq',
  'lt',
  'lte',
  'gt',
  'gte',
])

function checkReplacement(
  callee: Callee,
  arity: number,
  named: Callee | undefined,
  functions: Functions,
  at: number,
  faults: FaultAt[],
): void {
  const compileFault = (why: string): void =>
    void faults.push(
      new FaultAt('rego_compile_error', `with keyword replacing built-in function: target must not be ${why}`, at),
    )
  if ('builtin' in callee) {
    const builtin = functions.builtins.get(callee.builtin)
    if (builtin !== undefined && 'relate' in builtin) return compileFault('a relation')
    if (callee.builtin.startsWith('internal.')) return compileFault('internal')
    if (OPERATOR_NAMES.has(callee.builtin)) return compileFault('an operator')
  }
  const given = named && arityOf(functions, named)
  if (named !== undefined && given !== arity)
    faults.push(
      new FaultAt(
        'rego_type_error',
        `function ${nameOf(callee)} has arity ${arity}, ${nameOf(named)} has arity ${given ?? 0}`,
        at,
      ),
    )
}
