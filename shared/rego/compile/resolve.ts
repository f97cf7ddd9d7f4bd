import type {
  Body,
  Call,
  Comprehension,
  Every,
  Expression,
  Literal,
  Rule,
  Term,
  Unification,
  Var,
  With,
} from '../ast.ts'
import { isGenerated, plain } from '../ast.ts'
import { FaultAt } from '../errors.ts'
import type { Value } from '../value.ts'
import { charge } from '../work.ts'
import { Scopes } from './scopes.ts'
import { assignable, computes, folded, isPrint, mayIterate, withOutput, type ArityOf } from './shapes.ts'
import { addVariables, calleeOf, constant, dataRef, isRoot, mapParts } from './terms.ts'
import { hoistNegated } from './negation.ts'

/** The meaning of a module's names: rules of its package and imports, by the first part of their path. */
export type Globals = ReadonlyMap<string, readonly Value[]>

/** The value of a call without operands that is known for the rule containing it. */
export type Known = (builtin: string, rule: Rule) => Value | undefined

const GENERATED_OPERAND = '$k'

/**
 * Resolves every name of one rule or query. Declared names become unique in the rule; names of rules and imports become
 * references; undeclared names stay variables of the surrounding body.
 */
export class Resolver {
  readonly #globals: Globals
  readonly #arityOf: ArityOf
  readonly #faults: FaultAt[]
  readonly #scopes: Scopes
  readonly #known: Known
  /** the rule being resolved; absent in a query */
  #rule: Rule | undefined
  #generated = 0

  constructor(globals: Globals, arityOf: ArityOf, faults: FaultAt[], strict: boolean, known: Known = () => undefined) {
    this.#globals = globals
    this.#arityOf = arityOf
    this.#faults = faults
    this.#scopes = new Scopes(faults, strict)
    this.#known = known
  }

  #fresh(at: number): Var {
    return { type: 'var', name: `${GENERATED_OPERAND}${this.#generated++}`, at }
  }

  /** The whole of a rule except its name; the branches of `else` have scopes of their own. */
  rule(rule: Rule): Rule {
    const branch = this.#branch(rule)
    return { ...branch, otherwise: rule.otherwise && this.rule(rule.otherwise) }
  }

  #branch(rule: Rule): Rule {
    this.#rule = rule
    return this.#scopes.within(() => {
      for (const arg of rule.args ?? []) this.#declareIn(arg, 'arg')
      const printed: Literal[] = []
      const args = rule.args?.map((arg) =>
        rule.isDefault ? this.#term(arg) : this.#argument(this.#term(arg), printed),
      )
      const body = [...printed, ...this.#body(rule.body)]
      // The body computes the terms of the head; comprehensions and literals are built in place.
      const head = (term: Term): Term => {
        const resolved = this.#term(term)
        if (!computes(resolved) || rule.isDefault) return resolved
        const name = this.#fresh(term.at)
        body.push(plain({ type: 'unify', left: name, right: resolved, assigns: true }, term.at))
        return name
      }
      const path = rule.path.map(head)
      const member = rule.member && head(rule.member)
      const value = head(rule.value)
      return { ...rule, args, body, path, member, value }
    })
  }

  /** An argument whose templates are moved into the body, which binds the variables of their holes. */
  #argument(term: Term, printed: Literal[]): Term {
    if (term.type !== 'template') return mapParts(term, (part) => this.#argument(part, printed))
    const left = this.#fresh(term.at)
    printed.push(plain({ type: 'unify', left, right: term, assigns: true }, term.at))
    return left
  }

  /** A query's body, and the original names of its variables. */
  query(body: Body): Body {
    return this.#scopes.within(() => this.#body(body))
  }

  #body(body: Body): Body {
    return body.flatMap((literal) => this.#literal(literal))
  }

  #literal(literal: Literal): Literal[] {
    const before: Literal[] = []
    const withs = literal.withs.map((one) => this.#ground(this.#with(one), before))
    const expression = this.#expression(literal.expression, literal)
    if (expression === undefined) return []
    if (!literal.negated) return [...before, { ...literal, withs, expression: withOutput(expression, this.#arityOf) }]
    const hoisted = hoistNegated(expression, (at) => this.#fresh(at))
    return [
      ...before,
      ...hoisted.before.map((unification) => plain(unification, literal.at, withs)),
      { ...literal, withs, expression: withOutput(hoisted.expression, this.#arityOf) },
    ]
  }

  /** Undefined for an expression that only declares. */
  #expression(expression: Expression, { at, negated }: Literal): Expression | undefined {
    switch (expression.type) {
      case 'term':
        return this.#termExpression(expression.term)
      case 'unify':
        if (!expression.assigns)
          return { ...expression, left: this.#term(expression.left), right: this.#term(expression.right) }
        if (negated) this.#fault('cannot assign vars inside negated expression', at)
        return this.#assignment(expression)
      case 'some':
        for (const { name, at: place } of expression.names) this.#scopes.declare(name, 'declared', place)
        return undefined
      case 'some-in': {
        const domain = this.#term(expression.domain)
        const key = expression.key ?? this.#fresh(at)
        for (const term of [key, expression.value]) this.#declareIn(term, 'declared')
        const path = [this.#term(key)]
        const right: Term =
          domain.type === 'ref'
            ? { ...domain, path: [...domain.path, ...path] }
            : { type: 'ref', head: domain, path, at }
        return { type: 'unify', left: this.#term(expression.value), right, assigns: false }
      }
      case 'every':
        return this.#every(expression)
      case 'not':
        return { ...expression, body: this.#scopes.within(() => this.#body(expression.body)) }
    }
  }

  /** `print` has no result and no effect: it is dropped with its operands. */
  #termExpression(term: Term): Expression {
    const resolved = term.type === 'call' ? this.#call(term, true) : this.#term(term)
    if (resolved.type === 'call' && resolved.args.length === 1) {
      const [output] = resolved.args
      const value = this.#knownValue(resolved)
      if (value !== undefined && output !== undefined)
        return { type: 'unify', left: output, right: constant(value, term.at), assigns: false }
    }
    const prints = resolved.type === 'call' && isPrint(resolved)
    return { type: 'term', term: prints ? constant(true, term.at) : resolved }
  }

  #assignment({ left, right }: Unification): Expression {
    const value = this.#term(right)
    const target = assignable(left)
    if (target !== undefined) this.#fault(`cannot assign to ${target}`, left.at)
    else this.#declareIn(left, 'assigned')
    return { type: 'unify', left: this.#term(left), right: value, assigns: true }
  }

  #every(expression: Every): Expression {
    const domain = this.#term(expression.domain)
    return this.#scopes.within(() => {
      const { key, value } = expression
      for (const term of [key, value]) if (term) this.#declareIn(term, 'declared')
      return {
        type: 'every',
        key: key && this.#term(key),
        value: this.#term(value),
        domain,
        body: this.#scopes.within(() => this.#body(expression.body)),
      }
    })
  }

  /** Declares the variables of a pattern: those of arrays, of objects' values, of the pattern itself. */
  #declareIn(pattern: Term, kind: 'arg' | 'declared' | 'assigned'): void {
    if (pattern.type === 'var') {
      // An argument that is named twice has to match twice.
      const again = kind === 'arg' && this.#scopes.lookup(pattern.name) !== undefined
      if (!isGenerated(pattern.name) && !again) this.#scopes.declare(pattern.name, kind, pattern.at)
    } else if (pattern.type === 'array') for (const item of pattern.items) this.#declareIn(item, kind)
    else if (pattern.type === 'object') for (const [, value] of pattern.entries) this.#declareIn(value, kind)
  }

  #term(term: Term): Term {
    charge()
    switch (term.type) {
      case 'var':
        return this.#variable(term)
      case 'ref': {
        const head = this.#term(term.head)
        const path = term.path.map((key) => this.#term(key))
        return head.type === 'ref' ? { ...head, path: [...head.path, ...path] } : { ...term, head, path }
      }
      case 'call':
        return this.#call(term, false)
      case 'comprehension':
        return this.#comprehension(term)
      case 'template':
        return { ...term, parts: term.parts.map((part) => (typeof part === 'string' ? part : this.#hole(part))) }
      default:
        return folded(mapParts(term, (part) => this.#term(part)))
    }
  }

  #variable(term: Var): Term {
    if (isGenerated(term.name)) return term
    const local = this.#scopes.lookup(term.name)
    if (local !== undefined) return { ...term, name: local }
    const path = this.#globals.get(term.name)
    if (path !== undefined) return this.#global(path, term.at)
    if (!isRoot(term)) this.#scopes.use(term.name)
    return term
  }

  #global([root, ...path]: readonly Value[], at: number): Term {
    const head: Var = { type: 'var', name: root === 'input' ? 'input' : 'data', at }
    return path.length === 0 ? head : { ...dataRef(path, at), head }
  }

  #call(call: Call, isLiteral: boolean): Term {
    const name = this.#callName(call.name)
    const resolved: Call = { ...call, name, args: call.args.map((arg) => this.#term(arg)) }
    if (!isLiteral && isPrint(resolved))
      this.#faults.push(new FaultAt('rego_type_error', 'print(...) used as value', call.at))
    const value = call.args.length === 0 ? this.#knownValue(resolved) : undefined
    return value === undefined ? resolved : constant(value, call.at)
  }

  #knownValue(call: Call): Value | undefined {
    const callee = calleeOf(call)
    return this.#rule === undefined || !('builtin' in callee) ? undefined : this.#known(callee.builtin, this.#rule)
  }

  #callName(name: Call['name']): Call['name'] {
    const first = name.type === 'var' ? name : name.head
    const path = first.type === 'var' ? this.#globals.get(first.name) : undefined
    if (path === undefined) return name
    const global = this.#global(path, name.at)
    const rest = name.type === 'ref' ? name.path : []
    if (global.type === 'ref') return { ...global, path: [...global.path, ...rest] }
    return { type: 'ref', head: global, path: rest, at: name.at }
  }

  #comprehension(term: Comprehension): Comprehension {
    return this.#scopes.within(() => {
      const body = [...this.#body(term.body)]
      // As in heads, a part with several values, or none, is evaluated in the body.
      const build = (built: Term): Term => {
        const resolved = this.#term(built)
        if (!computes(resolved)) return resolved
        const name = this.#fresh(built.at)
        body.push(plain({ type: 'unify', left: name, right: resolved, assigns: true }, built.at))
        return name
      }
      const key = term.key && build(term.key)
      return { ...term, ...(key && { key }), term: build(term.term), body }
    })
  }

  /** A hole uses variables but never introduces one. */
  #hole(part: Comprehension): Comprehension {
    const known = (name: string): boolean =>
      isGenerated(name) ||
      this.#scopes.lookup(name) !== undefined ||
      this.#globals.has(name) ||
      this.#scopes.isUsed(name)
    for (const { expression } of part.body)
      if (expression.type === 'unify')
        for (const name of addVariables([expression.right], new Set()))
          if (!known(name)) this.#undeclared(name, expression.right)
    return this.#comprehension(part)
  }

  /** A bare name may be bound by a later literal; in a larger term it must be known. */
  #undeclared(name: string, { type, at }: Term): void {
    if (type === 'var') this.#scopes.expect(name, at)
    else this.#fault(`var ${name} is undeclared`, at)
  }

  /** The target is a document, or a function's name; only a function can be replaced by another one. */
  #with({ at, target, value }: With): With {
    const resolved = target.type === 'var' || target.type === 'ref' ? this.#callName(target) : target
    const isDocument = isRoot(resolved.type === 'ref' ? resolved.head : resolved) && !this.#isFunction(resolved)
    const name = value.type === 'var' || value.type === 'ref' ? this.#callName(value) : undefined
    if (isDocument || name === undefined || this.#isLocal(value) || !this.#isFunction(name))
      return { at, target: resolved, value: this.#term(value) }
    return { at, target: resolved, value: constant(null, value.at), by: name }
  }

  /**
   * A value with several solutions is moved before the literal, which then has a single one: `with input.q as
   * input.xs[_]`.
   */
  #ground(one: With, before: Literal[]): With {
    if (!mayIterate(one.value)) return one
    const left = this.#fresh(one.at)
    before.push(plain({ type: 'unify', left, right: one.value, assigns: true }, one.at))
    return { ...one, value: left }
  }

  #isFunction(name: Term): boolean {
    if (name.type !== 'var' && name.type !== 'ref') return false
    return this.#arityOf({ type: 'call', name, args: [], at: name.at }) !== undefined
  }

  #isLocal(term: Term): boolean {
    const head = term.type === 'ref' ? term.head : term
    return head.type === 'var' && this.#scopes.lookup(head.name) !== undefined
  }

  #fault(message: string, at: number): void {
    this.#faults.push(new FaultAt('rego_compile_error', message, at))
  }
}
