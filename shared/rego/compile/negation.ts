import type { Expression, Ref, Term, Unification, Var } from '../ast.ts'
import { mapParts } from './terms.ts'

interface Hoisted {
  /** unifications before the negated literal, which must succeed */
  readonly before: readonly Unification[]
  readonly expression: Expression
}

/**
 * Under plain negation, nested calls and references that are operands are evaluated outside of the `not`: if one is
 * undefined, so is the body. The literal's own call stays inside, and so does a reference that is itself an operand of
 * `==` or `=`, or the whole negated term. Customers' deny rules depend on this.
 *
 * As in the reference, calls are moved out before safety is checked and references after that: operands of a nested
 * call bind (`not lower(xs[_]) == "a"`), operands of the literal itself do not (`not startswith(xs[_], "a")` is
 * unsafe).
 */
export function hoistNegated(expression: Expression, fresh: (at: number) => Var): Hoisted {
  const before: Unification[] = []
  const outside = (term: Term, bindsKeys: boolean): Term => {
    const left = fresh(term.at)
    before.push({ type: 'unify', left, right: term, assigns: true, ...(!bindsKeys && { bindsKeys }) })
    return left
  }
  /** Moves everything computed out of a term. `inCall`: references may bind the variables among their keys. */
  const bare = (term: Term, inCall = false): Term => {
    if (term.type === 'call')
      return outside(
        mapParts(term, (arg) => bare(arg, true)),
        true,
      )
    if (term.type === 'ref') return outside({ ...term, ...keysBare(term, inCall) }, inCall)
    return mapParts(term, (part) => bare(part, inCall))
  }
  /** The collection or call at the head of a reference is moved out with the calls. */
  const keysBare = ({ head, path }: Ref, inCall: boolean): Pick<Ref, 'head' | 'path'> => ({
    head: head.type === 'var' ? head : bare(head, true),
    path: path.map((key) => bare(key, inCall)),
  })
  /** A reference stays, but its computed keys are moved out. */
  const keepReference = (term: Term): Term => (term.type === 'ref' ? { ...term, ...keysBare(term, false) } : bare(term))
  const negated = (): Expression => {
    switch (expression.type) {
      case 'unify':
        return { ...expression, left: keepReference(expression.left), right: keepReference(expression.right) }
      case 'term': {
        const { term } = expression
        if (term.type !== 'call') return { type: 'term', term: keepReference(term) }
        const equality = term.name.type === 'var' && term.name.name === 'equal'
        return {
          type: 'term',
          term: { ...term, args: term.args.map((arg) => (equality ? keepReference(arg) : bare(arg))) },
        }
      }
      default:
        return expression
    }
  }
  const inside = negated()
  return { before, expression: inside }
}
