import type { Builtin } from '../builtins/builtin.ts'
import type { Functions } from '../compile/calls.ts'
import type { Place } from '../errors.ts'
import type { Source } from '../source.ts'
import type { TreeNode } from '../compile/tree.ts'
import type { Body, Term } from '../ast.ts'
import type { Evaluate, Run } from './evaluation.ts'

/** Compiles terms and bodies. Terms contain bodies and bodies contain terms, so each reaches the other through its scope. */
export interface Compiler {
  readonly functions: Functions
  readonly term: (term: Term, scope: RuleScope) => Evaluate
  readonly body: (body: Body, scope: RuleScope, done: () => Run) => Run
}

/** State of compiling one rule: the slots of its variables, and the variables bound so far. */
export class RuleScope {
  readonly compiler: Compiler
  readonly source: Source
  readonly #slots: Map<string, number>
  bound: Set<string>
  #fresh = 0

  constructor(compiler: Compiler, source: Source) {
    this.compiler = compiler
    this.source = source
    this.#slots = new Map()
    this.bound = new Set()
  }

  get functions(): Functions {
    return this.compiler.functions
  }

  /** Compiles a term whose variables are all bound, and which has at most one value. */
  evaluator(term: Term): Evaluate {
    return this.compiler.term(term, this)
  }

  /** Compiles a body. `done` compiles the work on each of its solutions. */
  bodyRun(body: Body, done: () => Run): Run {
    return this.compiler.body(body, this, done)
  }

  get root(): TreeNode {
    return this.functions.root
  }

  get builtins(): ReadonlyMap<string, Builtin> {
    return this.functions.builtins
  }

  /** Slots that a frame of this rule needs. */
  get size(): number {
    return this.#slots.size
  }

  slot(name: string): number {
    const known = this.#slots.get(name)
    if (known !== undefined) return known
    const slot = this.#slots.size
    this.#slots.set(name, slot)
    return slot
  }

  isBound(name: string): boolean {
    return this.bound.has(name)
  }

  bind(name: string): number {
    this.bound.add(name)
    return this.slot(name)
  }

  /** A name for an intermediate value. */
  fresh(): string {
    return `$s${this.#fresh++}`
  }

  /** Compiles something whose bindings are local to it: the body of a closure. */
  apart<T>(make: () => T): T {
    const outside = this.bound
    this.bound = new Set(outside)
    const made = make()
    this.bound = outside
    return made
  }

  place(at: number): Place {
    return this.source.place(at)
  }
}
