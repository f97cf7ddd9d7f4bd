import type { Value } from './value.ts'

/** A policy as it was written. Plain tagged unions; `at` is the offset in the text. */
export type Term = Const | Var | Ref | ArrayTerm | SetTerm | ObjectTerm | Comprehension | Call | Template

interface Node {
  readonly at: number
}

export interface Const extends Node {
  readonly type: 'const'
  readonly value: Value
}

/** A name. After resolution: a variable with a name that is unique in its rule. */
export interface Var extends Node {
  readonly type: 'var'
  readonly name: string
}

/** `head.a[b]`; `.a` is a constant in the path. */
export interface Ref extends Node {
  readonly type: 'ref'
  readonly head: Term
  readonly path: readonly Term[]
}

export interface ArrayTerm extends Node {
  readonly type: 'array'
  readonly items: readonly Term[]
}

export interface SetTerm extends Node {
  readonly type: 'set'
  readonly items: readonly Term[]
}

export interface ObjectTerm extends Node {
  readonly type: 'object'
  readonly entries: readonly (readonly [Term, Term])[]
}

export interface Comprehension extends Node {
  readonly type: 'comprehension'
  readonly kind: 'array' | 'set' | 'object'
  /** of an object comprehension alone */
  readonly key?: Term
  readonly term: Term
  readonly body: Body
}

/** A call of a function or built-in; operators carry the name of their built-in. */
export interface Call extends Node {
  readonly type: 'call'
  readonly name: Var | Ref
  readonly args: readonly Term[]
}

/** A template string: text, and holes as set comprehensions with one value to print. */
export interface Template extends Node {
  readonly type: 'template'
  readonly parts: readonly (string | Comprehension)[]
}

export type Body = readonly Literal[]

export interface Literal extends Node {
  readonly negated: boolean
  readonly withs: readonly With[]
  readonly expression: Expression
}

export interface With extends Node {
  readonly target: Term
  readonly value: Term
  /** Set when names are resolved: the value names this function, and is not looked at. */
  readonly by?: Var | Ref
}

export type Expression = TermExpression | Unification | SomeNames | SomeIn | Every | NotBody

/** A term that must be defined and not false. */
export interface TermExpression {
  readonly type: 'term'
  readonly term: Term
}

/** `left = right`, and `left := right`, which declares. */
export interface Unification {
  readonly type: 'unify'
  readonly left: Term
  readonly right: Term
  readonly assigns: boolean
  /** `false`: the references on the right bind none of their keys, other literals have to. Set when names are resolved. */
  readonly bindsKeys?: boolean
}

export interface SomeNames {
  readonly type: 'some'
  readonly names: readonly Var[]
}

export interface SomeIn {
  readonly type: 'some-in'
  readonly key: Term | undefined
  readonly value: Term
  readonly domain: Term
}

export interface Every {
  readonly type: 'every'
  readonly key: Term | undefined
  readonly value: Term
  readonly domain: Term
  readonly body: Body
}

/** Negation of a query (`import future.keywords.not`), including a body in braces. */
export interface NotBody {
  readonly type: 'not'
  readonly body: Body
}

export interface Rule extends Node {
  readonly isDefault: boolean
  /** from the package on: a name, then brackets and dots */
  readonly name: Term
  readonly path: readonly Term[]
  readonly args: readonly Term[] | undefined
  /** `contains` this, or in v0 `p[this] { }` */
  readonly member: Term | undefined
  /** what the rule gives; `true` where nothing is written */
  readonly value: Term
  readonly body: Body
  readonly otherwise: Rule | undefined
}

export interface Import extends Node {
  /** `data`, `input`, `future` or `rego`, then names */
  readonly path: readonly Value[]
  readonly alias: string | undefined
}

export interface Module {
  readonly package: readonly Value[]
  readonly packageAt: number
  readonly imports: readonly Import[]
  readonly rules: readonly Rule[]
  /** In order; they may hold annotations. */
  readonly comments: readonly { readonly at: number; readonly text: string }[]
  /** the checks of v1 apply: the dialect is v1, or `import rego.v1` stands in it */
  readonly strict: boolean
}

/** Names that the parser and the compiler make; no text can hold them. */
export const isGenerated = (name: string): boolean => name.startsWith('$')

/** A literal that is neither negated nor modified. */
export const plain = (expression: Expression, at: number, withs: readonly With[] = []): Literal => ({
  at,
  negated: false,
  withs,
  expression,
})

/** A literal that always succeeds and does nothing. */
export const isTrue = ({ expression, negated, withs }: Literal): boolean =>
  !negated &&
  withs.length === 0 &&
  expression.type === 'term' &&
  expression.term.type === 'const' &&
  expression.term.value === true
