import type { Call, Expression, Term } from '../ast.ts'
import { RegoObject, RegoSet } from '../value.ts'
import { charge } from '../work.ts'
import { calleeOf, constant, isRoot, parts } from './terms.ts'

/** The shape of a term or expression, as far as it does not depend on a scope. */

/** Number of operands of a call; undefined if there is no such function. */
export type ArityOf = (call: Call) => number | undefined

/** Whether the call prints, which has no effect on a decision. */
export const isPrint = (call: Call): boolean => {
  const callee = calleeOf(call)
  return 'builtin' in callee && callee.builtin === 'print'
}

/** Whether a reference in a term has a key that is not constant. */
export const mayIterate = (term: Term): boolean =>
  (term.type === 'ref' && term.path.some(({ type }) => type !== 'const')) || parts(term).some(mayIterate)

/** A collection of constants is a constant: built once, and always the same. */
export function folded(term: Term): Term {
  if (term.type !== 'array' && term.type !== 'set' && term.type !== 'object') return term
  const terms = parts(term)
  const values = terms.flatMap((part) => (part.type === 'const' ? [part.value] : []))
  if (values.length < terms.length) return term
  if (term.type === 'array') return constant(values, term.at)
  if (term.type === 'set') return constant(RegoSet.from(values), term.at)
  const object = new RegoObject()
  for (let i = 0; i < values.length; i += 2) object.set(values[i] ?? null, values[i + 1] ?? null)
  return constant(object, term.at)
}

/** Whether a term is more than constants, variables, and collections and comprehensions of them. */
export function computes(term: Term): boolean {
  charge()
  switch (term.type) {
    case 'ref':
    case 'call':
      return true
    case 'var':
      return isRoot(term)
    case 'array':
    case 'set':
      return term.items.some(computes)
    case 'object':
      return term.entries.flat().some(computes)
    default:
      return false
  }
}

/** A description of the term if it cannot be assigned to; otherwise undefined. */
export function assignable(term: Term): string | undefined {
  switch (term.type) {
    case 'var':
      return undefined
    case 'array':
      return term.items.map(assignable).find((found) => found !== undefined)
    case 'object':
      return term.entries.map(([, value]) => assignable(value)).find((found) => found !== undefined)
    case 'const':
      return typeof term.value === 'string'
        ? 'string'
        : term.value === null
          ? 'null'
          : typeof term.value === 'boolean'
            ? 'boolean'
            : 'number'
    default:
      return term.type
  }
}

/** `f(a, out)` of a function with one operand is `out = f(a)`. */
export function withOutput(expression: Expression, arityOf: ArityOf): Expression {
  if (expression.type !== 'term' || expression.term.type !== 'call') return expression
  const { term } = expression
  const left = term.args.at(-1)
  if (left === undefined || arityOf(term) !== term.args.length - 1) return expression
  return { type: 'unify', left, right: { ...term, args: term.args.slice(0, -1) }, assigns: false }
}
