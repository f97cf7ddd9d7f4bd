import type { Body, Call, Comprehension, Expression, Literal, Ref, Term, Var } from '../ast.ts'
import type { Value } from '../value.ts'
import { charge } from '../work.ts'

/** The documents at the head of references; after names are resolved no variable has these names. */
const ROOTS: ReadonlySet<string> = new Set(['data', 'input'])

export type Root = Var & { readonly name: 'data' | 'input' }

export const isRoot = (term: Term): term is Root => term.type === 'var' && ROOTS.has(term.name)

export const constant = (value: Value, at: number): Term => ({ type: 'const', value, at })

/** A reference into `data` with a completely known path. */
export const dataRef = (path: readonly Value[], at: number): Ref => ({
  type: 'ref',
  head: { type: 'var', name: 'data', at },
  path: path.map((key) => constant(key, at)),
  at,
})

/** The callee of a call: a function's path in `data`, or a built-in. */
export type Callee = { readonly path: readonly Value[] } | { readonly builtin: string }

export function calleeOf({ name }: Call): Callee {
  if (name.type === 'var') return { builtin: name.name }
  const keys = name.path.map((key) => (key.type === 'const' ? key.value : null))
  return isRoot(name.head) ? { path: keys } : { builtin: [dotted(name.head), ...keys.map(String)].join('.') }
}

const dotted = (head: Term): string => (head.type === 'var' ? head.name : '')

/** A term's name in messages: a variable as written, any other term by its kind. */
export const shown = (name: string): string => name.split('#')[0] ?? name

const NONE: readonly never[] = []

/** The terms directly inside a term, without closures. */
export function parts(term: Term): readonly Term[] {
  switch (term.type) {
    case 'ref':
      return [term.head, ...term.path]
    case 'array':
    case 'set':
      return term.items
    case 'object':
      return term.entries.flat()
    case 'call':
      return term.args
    default:
      return NONE
  }
}

/** A term with its parts replaced, or the same object if none changes; closures stay as they are. */
export function mapParts(term: Term, change: (part: Term) => Term): Term {
  charge()
  switch (term.type) {
    case 'const':
    case 'var':
      return term
    case 'ref': {
      const [head, path] = [change(term.head), mapped(term.path, change)]
      return head === term.head && path === term.path ? term : { ...term, head, path }
    }
    case 'array':
    case 'set': {
      const items = mapped(term.items, change)
      return items === term.items ? term : { ...term, items }
    }
    case 'object':
      return { ...term, entries: term.entries.map(([key, value]) => [change(key), change(value)] as const) }
    case 'call': {
      const args = mapped(term.args, change)
      return args === term.args ? term : { ...term, args }
    }
    default:
      return term
  }
}

/** The same array if nothing changes. */
function mapped(terms: readonly Term[], change: (part: Term) => Term): readonly Term[] {
  let changed: Term[] | undefined
  for (const [at, term] of terms.entries()) {
    const by = change(term)
    if (by !== term) changed ??= terms.slice(0, at)
    changed?.push(by)
  }
  return changed ?? terms
}

/** Visits every term inside a term, itself first; closures are visited, but not their contents. */
export function visit(term: Term, see: (term: Term) => void): void {
  charge()
  see(term)
  switch (term.type) {
    case 'const':
    case 'var':
      return
    case 'ref': // the most frequent ones, without an intermediate array
      visit(term.head, see)
      for (const key of term.path) visit(key, see)
      return
    default:
      for (const part of parts(term)) visit(part, see)
  }
}

/** The terms of an expression, without closures. */
export function termsOf(expression: Expression): readonly Term[] {
  switch (expression.type) {
    case 'term':
      return [expression.term]
    case 'unify':
      return [expression.left, expression.right]
    case 'some-in':
      return [...(expression.key ? [expression.key] : []), expression.value, expression.domain]
    case 'every':
      return [expression.domain]
    default:
      return NONE
  }
}

/** The terms of a literal, those of its `with`s included. */
export function literalTerms({ expression, withs }: Literal): readonly Term[] {
  charge(1 + withs.length)
  const terms = termsOf(expression)
  return withs.length === 0 ? terms : [...terms, ...withs.map(({ value }) => value)]
}

/** A term or literal with a body of its own: comprehensions, holes of templates, `every`, `not`. */
export interface Closure {
  readonly body: Body
  /** variables bound when the body begins */
  readonly binds: readonly Term[]
  /** terms built from a solution; evaluated where the body's variables are bound */
  readonly gives: readonly Term[]
}

export const closureOf = ({ body, key, term }: Comprehension): Closure => ({
  body,
  binds: [],
  gives: key ? [key, term] : [term],
})

export function closuresOf(literal: Literal): readonly Closure[] {
  const { expression } = literal
  let closures: Closure[] | undefined
  for (const term of literalTerms(literal)) closures = addTermClosures(term, closures)
  if (expression.type !== 'every' && expression.type !== 'not') return closures ?? NONE
  closures ??= []
  if (expression.type === 'every') {
    const binds = expression.key ? [expression.key, expression.value] : [expression.value]
    closures.push({ body: expression.body, binds, gives: [] })
  }
  if (expression.type === 'not') closures.push({ body: expression.body, binds: [], gives: [] })
  return closures
}

export const termClosures = (term: Term): readonly Closure[] => addTermClosures(term, undefined) ?? NONE

/** Most terms have no closures, and get no list. */
function addTermClosures(term: Term, before: Closure[] | undefined): Closure[] | undefined {
  let closures = before
  visit(term, (inner) => {
    if (inner.type === 'comprehension') (closures ??= []).push(closureOf(inner))
    if (inner.type === 'template')
      for (const part of inner.parts) if (typeof part !== 'string') (closures ??= []).push(closureOf(part))
  })
  return closures
}

/** Names of the variables in terms, without closures. */
export function addVariables(terms: readonly Term[], names: Set<string>): Set<string> {
  for (const term of terms)
    visit(term, (inner) => {
      if (inner.type === 'var' && !isRoot(inner)) names.add(inner.name)
    })
  return names
}

/** Names of all variables in a body, including closures. */
export function addAllVariables(body: Body, names: Set<string>): Set<string> {
  for (const literal of body) {
    addVariables(literalTerms(literal), names)
    for (const closure of closuresOf(literal)) addClosureVariables(closure, names)
  }
  return names
}

export function addClosureVariables({ body, binds, gives }: Closure, names: Set<string>): Set<string> {
  addVariables([...binds, ...gives], names)
  for (const term of gives) for (const inner of termClosures(term)) addClosureVariables(inner, names)
  return addAllVariables(body, names)
}

/** Every literal of a body and of its closures. */
export function visitLiterals(body: Body, see: (literal: Literal) => void): void {
  for (const literal of body) {
    see(literal)
    for (const closure of closuresOf(literal)) visitClosure(closure, see)
  }
}

export function visitClosure({ body, gives }: Closure, see: (literal: Literal) => void): void {
  visitLiterals(body, see)
  for (const term of gives) for (const inner of termClosures(term)) visitClosure(inner, see)
}
