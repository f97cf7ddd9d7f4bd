import type { Expression, Term, Unification, Var } from '../ast.ts'
import { mapParts } from './terms.ts'

interface Hoisted {
  /** what stands ahead of the negated literal, and must succeed */
  readonly before: readonly Unification[]
  readonly expression: Expression
}

/**
 * Under plain negation, nested calls and references that are operands are evaluated outside of the `not`: if one is
 * undefined, so is the body. The literal's own call stays inside, and so does a reference that is itself an operand of
 * `==` or `=`, or the whole negated term. Customers' deny rules depend on this.
 */
export function hoistNegated(expression: Expression, fresh: (at: number) => Var): Hoisted {
  const before: Unification[] = []
  const outside = (term: Term): Term => {
    const left = fresh(term.at)
    before.push({ type: 'unify', left, right: term, assigns: true })
    return left
  }
  /** Takes everything computed out of a term. */
  const bare = (term: Term): Term => {
    const inner = mapParts(term, bare)
    return inner.type === 'ref' || inner.type === 'call' ? outside(inner) : inner
  }
  /** A reference stays, what is computed for its path does not. */
  const keepReference = (term: Term): Term => {
    if (term.type !== 'ref') return bare(term)
    return { ...term, head: term.head.type === 'var' ? term.head : bare(term.head), path: term.path.map(bare) }
  }
  const negated = (): Expression => {
    switch (expression.type) {
      case 'unify':
        return { ...expression, left: keepReference(expression.left), right: keepReference(expression.right) }
      case 'every':
        return { ...expression, domain: bare(expression.domain) }
      case 'term': {
        const { term } = expression
        if (term.type !== 'call') return { type: 'term', term: keepReference(term) }
        const equality = term.name.type === 'var' && term.name.name === 'equal'
        return { type: 'term', term: { ...term, args: term.args.map(equality ? keepReference : bare) } }
      }
      default:
        return expression
    }
  }
  const inside = negated()
  return { before, expression: inside }
}
