import type { Body, Literal, Term } from '../ast.ts'
import { isGenerated } from '../ast.ts'
import { FaultAt } from '../errors.ts'
import { FUTURE_KEYWORDS, importHint } from '../parse/cursor.ts'
import { keyPart } from '../value.ts'
import { charge } from '../work.ts'
import type { Closure } from './terms.ts'
import {
  addClosureVariables,
  addVariables,
  closuresOf,
  isRoot,
  literalTerms,
  mapParts,
  parts,
  shown,
  visit,
} from './terms.ts'

type Names = ReadonlySet<string>
/** A test for bound variables. */
type Asked = Pick<Names, 'has'>

/** The variables known to a literal: those bound before it, shared because a large body has many, and its own. */
class Known {
  readonly #before: Asked
  readonly added = new Set<string>()
  constructor(before: Asked) {
    this.#before = before
  }
  has(name: string): boolean {
    return this.added.has(name) || this.#before.has(name)
  }
  add(name: string): void {
    this.added.add(name)
  }
}

/** A check of a literal that still waits is an eighth of a step. */
const LOOKS_PER_STEP_BITS = 3

const NO_NAMES: Names = new Set()
const FUTURE: Names = new Set(FUTURE_KEYWORDS)

/**
 * Orders a body so that every literal finds the variables it needs bound by earlier ones, including those for its
 * closures. Repeatedly picks each literal whose needs are met and otherwise keeps the order of the text.
 * @param given variables that are bound before the body begins
 * @returns the body in order, and `given` with the variables it binds
 */
export function orderBody(body: Body, given: Names, faults: FaultAt[]): { body: Body; bound: Set<string> } {
  const outer = new Set(given)
  for (const literal of body) addVariables(literalTerms(literal), outer)
  const bound = new Set(given)
  const ordered: Literal[] = []
  let left = body.map((literal): Waiting => ({ literal, needs: closureNeeds(literal, outer), missing: undefined }))
  while (left.length > 0) {
    let looked = 0
    const waiting = left.filter((one) => {
      looked += 1 + (one.missing?.size ?? 0)
      // Checked again only after a variable that it waited for was bound, so that a crafted order stays cheap.
      if (one.missing !== undefined && ![...one.missing].some((name) => bound.has(name))) return true
      const { binds, missing } = judge(one.literal, bound)
      for (const name of one.needs) if (!bound.has(name)) missing.add(name)
      one.missing = missing
      if (missing.size > 0) return true
      ordered.push(orderClosures(one.literal, bound, faults))
      for (const name of binds) bound.add(name)
      return false
    })
    charge(looked >> LOOKS_PER_STEP_BITS)
    if (waiting.length === left.length) {
      const found = waiting.flatMap(({ literal, missing }) => [...(missing ?? [])].map((name) => ({ name, literal })))
      const named = found.filter(({ name }) => !isGenerated(name) || isWildcard(name))
      for (const { name, literal } of named.length > 0 ? named : found) faults.push(unsafe(name, literal.at))
      break
    }
    left = waiting
  }
  return { body: ordered, bound }
}

interface Waiting {
  readonly literal: Literal
  /** variables of the body that its closures use */
  readonly needs: Names
  missing: Names | undefined
}

/** Variables of the surrounding body that a literal's closures use, which must be bound before the literal. */
function closureNeeds(literal: Literal, outer: Names): Names {
  const closures = closuresOf(literal)
  if (closures.length === 0) return NO_NAMES
  const inside = new Set<string>()
  for (const closure of closures) addClosureVariables(closure, inside)
  return new Set([...inside].filter((name) => outer.has(name)))
}

/** The variables that a literal binds, and its own variables that nothing binds. */
function judge(literal: Literal, bound: Asked): { binds: Names; missing: Set<string> } {
  const { expression, withs, negated } = literal
  const known = new Known(bound)
  const withsBound = withs.every(({ value }) => isBound(value, bound))
  if (!negated && withsBound) {
    const bindsKeys = expression.type !== 'unify' || expression.bindsKeys !== false
    const terms = bindsKeys ? literalTerms(literal) : []
    while (terms.some((term) => bindByReferences(term, known)));
    if (expression.type === 'unify') {
      if (expression.assigns) assign(expression.left, expression.right, known)
      else unify(expression.left, expression.right, known)
    }
  }
  const missing = new Set<string>()
  for (const term of literalTerms(literal))
    visit(term, (inner) => {
      if (inner.type === 'var' && !isRoot(inner) && !known.has(inner.name)) missing.add(inner.name)
    })
  return { binds: known.added, missing }
}

/** A reference binds the variables among its keys once its head is bound. @returns whether it bound one */
function bindByReferences(term: Term, known: Known): boolean {
  charge()
  let more = parts(term)
    .map((part) => bindByReferences(part, known))
    .some(Boolean)
  if (term.type === 'ref' && isBound(term.head, known))
    for (const key of term.path) more = bindPattern(key, known) || more
  return more
}

/**
 * Binds the variables of a pattern, also those in arrays and in the values of objects. @returns whether any was unbound
 */
function bindPattern(term: Term, known: Known): boolean {
  charge()
  if (term.type === 'var') {
    if (known.has(term.name) || isRoot(term)) return false
    known.add(term.name)
    return true
  }
  if (term.type === 'array') return term.items.map((item) => bindPattern(item, known)).some(Boolean)
  if (term.type === 'object') return term.entries.map(([, value]) => bindPattern(value, known)).some(Boolean)
  return false
}

/** Whether every variable of a term is bound; the bodies of closures are checked elsewhere. */
export function isBound(term: Term, known: Asked): boolean {
  charge()
  if (term.type === 'var') return isRoot(term) || known.has(term.name)
  return parts(term).every((part) => isBound(part, known))
}

function assign(left: Term, right: Term, known: Known): void {
  if (isBound(right, known)) bindPattern(left, known)
}

/** Either side binds the variables of the other, arrays and objects piece by piece. */
function unify(left: Term, right: Term, known: Known): void {
  let waiting = pairsOf(left, right)
  for (let before = Infinity; waiting.length < before;) {
    before = waiting.length
    waiting = waiting.filter(([a, b]) => {
      const [boundA, boundB] = [isBound(a, known), isBound(b, known)]
      if (boundB) bindPattern(a, known)
      if (boundA) bindPattern(b, known)
      return !boundA && !boundB
    })
  }
}

export type Pair = readonly [Term, Term]

/**
 * The pairs that must be equal for two terms to be equal: arrays and objects are decomposed as long as both sides are.
 */
export function pairsOf(left: Term, right: Term): Pair[] {
  const pairs = pieces(left, right)
  return pairs === undefined ? [[left, right]] : pairs.flatMap(([a, b]) => pairsOf(a, b))
}

/** The parts of two arrays or objects, as far as they correspond; undefined for anything else. */
function pieces(left: Term, right: Term): Pair[] | undefined {
  charge()
  if (left.type === 'array' && right.type === 'array')
    return left.items.flatMap((item, i): Pair[] => {
      const other = right.items[i]
      return other === undefined ? [] : [[item, other]]
    })
  if (left.type !== 'object' || right.type !== 'object') return undefined
  const others = new Map(right.entries.map(([key, value]) => [keyText(key), value]))
  return left.entries.flatMap(([key, value]): Pair[] => {
    const other = others.get(keyText(key))
    return other === undefined ? [] : [[value, other]]
  })
}

/** The same text for keys with the same spelling. */
function keyText(key: Term): string {
  if (key.type === 'const') return `c${keyPart(key.value)}`
  return key.type === 'var' ? `v${key.name}` : `at${key.at}`
}

/** Whether two terms could be equal, judging by the number and the keys of their parts. */
export function sameShape(left: Term, right: Term): boolean {
  const pairs = pieces(left, right)
  if (pairs === undefined) return true
  const count = (term: Term): number => (term.type === 'array' ? term.items.length : parts(term).length / 2)
  if (count(left) !== pairs.length || count(right) !== pairs.length) return false
  return pairs.every(([a, b]) => sameShape(a, b))
}

/** Orders the bodies inside a literal, each separately, with the variables bound here as given. */
function orderClosures(literal: Literal, bound: Names, faults: FaultAt[]): Literal {
  const inTerm = (term: Term): Term => orderTerm(term, bound, faults)
  const withs = literal.withs.map((one) => ({ ...one, value: inTerm(one.value) }))
  const { expression } = literal
  switch (expression.type) {
    case 'term':
      return { ...literal, withs, expression: { ...expression, term: inTerm(expression.term) } }
    case 'unify':
      return {
        ...literal,
        withs,
        expression: { ...expression, left: inTerm(expression.left), right: inTerm(expression.right) },
      }
    case 'every': {
      const binds = expression.key ? [expression.key, expression.value] : [expression.value]
      const body = orderClosure({ body: expression.body, binds, gives: [] }, bound, faults)
      return { ...literal, withs, expression: { ...expression, domain: inTerm(expression.domain), body } }
    }
    case 'not': {
      const body = orderClosure({ body: expression.body, binds: [], gives: [] }, bound, faults)
      return { ...literal, withs, expression: { ...expression, body } }
    }
    default:
      return literal
  }
}

function orderClosure({ body, binds, gives }: Closure, bound: Names, faults: FaultAt[]): Body {
  const result = orderBody(body, addVariables(binds, new Set(bound)), faults)
  checkBound(gives, result.bound, faults)
  return result.body
}

/** The same for the comprehensions and templates inside a term; heads of rules use it as well. */
export function orderTerm(term: Term, bound: Names, faults: FaultAt[]): Term {
  const comprehension = (inner: Extract<Term, { type: 'comprehension' }>): typeof inner => {
    const { body, bound: within } = orderBody(inner.body, bound, faults)
    const gives = inner.key ? [inner.key, inner.term] : [inner.term]
    checkBound(gives, within, faults)
    const key = inner.key && orderTerm(inner.key, within, faults)
    return { ...inner, body, ...(key && { key }), term: orderTerm(inner.term, within, faults) }
  }
  switch (term.type) {
    case 'comprehension':
      return comprehension(term)
    case 'template':
      return { ...term, parts: term.parts.map((part) => (typeof part === 'string' ? part : comprehension(part))) }
    default:
      return mapParts(term, (part) => orderTerm(part, bound, faults))
  }
}

/** Records the variables in terms that nothing binds; those in closures are found when the closures are ordered. */
export function checkBound(terms: readonly Term[], bound: Names, faults: FaultAt[]): void {
  for (const term of terms)
    for (const name of addVariables([term], new Set())) if (!bound.has(name)) faults.push(unsafe(name, term.at))
}

const isWildcard = (name: string): boolean => /^\$\d/.test(name)

/** Names as written; a generated variable is reported as the whole expression. */
function unsafe(name: string, at: number): FaultAt {
  if (isGenerated(name) && !isWildcard(name)) return new FaultAt('rego_unsafe_var_error', 'expression is unsafe', at)
  const written = isWildcard(name) ? '_' : shown(name)
  const hint = FUTURE.has(written) ? importHint(written) : ''
  return new FaultAt('rego_unsafe_var_error', `var ${written} is unsafe${hint}`, at)
}
