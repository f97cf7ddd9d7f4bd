import type { Builtin } from '../builtins/builtin.ts'
import type { Functions } from '../compile/calls.ts'
import type { Place } from '../errors.ts'
import type { Source } from '../source.ts'
import type { TreeNode } from '../compile/tree.ts'

/** State of compiling one rule: the slots of its variables, and those bound so far. */
export class RuleScope {
  readonly functions: Functions
  readonly source: Source
  readonly #slots: Map<string, number>
  bound: Set<string>
  #fresh = 0

  constructor(functions: Functions, source: Source) {
    this.functions = functions
    this.source = source
    this.#slots = new Map()
    this.bound = new Set()
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

  /** A name for a value in between. */
  fresh(): string {
    return `$s${this.#fresh++}`
  }

  /** Makes something whose bindings end with it: the body of a closure. */
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
