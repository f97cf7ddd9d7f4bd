import { LimitError } from '../builtins/builtin.ts'
import type { Builtin, BuiltinContext } from '../builtins/builtin.ts'
import { EvaluationError } from '../errors.ts'
import type { EvaluationCode, Place } from '../errors.ts'
import { STEPS_PER_CLOCK } from '../limits.ts'
import type { Limits } from '../limits.ts'
import type { Group, TreeNode } from '../compile/tree.ts'
import type { Collector } from './collector.ts'
import { Weights } from './weights.ts'
import type { Key, Value } from '../value.ts'
import { RegoObject, RegoSet } from '../value.ts'

/** Reading 16 values costs a step, because tight loops read them. */
const WEIGHT_SHIFT = 4

/** The state of an evaluation with respect to its limits, and its constants. */
export class Evaluation implements BuiltinContext {
  readonly limits: Limits
  readonly now: bigint
  readonly seed: string
  /** Set if the caller wants to know which bodies of one place succeeded. */
  traced: Group | undefined
  readonly succeeded: Succeeded[] = []
  /** first failure of a built-in, thrown at the end in strict mode */
  firstFailure: EvaluationError | undefined
  /** steps left after the present batch */
  #steps: number
  /** steps left in the batch; the clock is checked before the next batch */
  #batch = 0
  #nodes = 0
  #textUnits = 0
  #depth = 0
  #began = false
  /** set when the clock is first read: most evaluations end before */
  #deadlineMs: number | undefined
  #weights: Weights | undefined
  #remembered: Map<string, unknown> | undefined

  constructor(limits: Limits, now: bigint, seed: string) {
    this.limits = limits
    this.now = now
    this.seed = seed
    this.#steps = limits.steps
  }

  charge(steps: number): void {
    this.#batch -= steps
    if (this.#batch < 0) this.#takeMore()
  }

  #takeMore(): void {
    this.#steps += this.#batch
    if (this.#steps < 0) this.exceed('evaluation took too many steps')
    this.#batch = Math.min(this.#steps, STEPS_PER_CLOCK)
    this.#steps -= this.#batch
    if (this.#began) this.#lookAtClock()
    this.#began = true
  }

  #lookAtClock(): void {
    const now = performance.now()
    this.#deadlineMs ??= now + this.limits.wallClockMs
    if (now >= this.#deadlineMs) this.exceed('evaluation took too long')
  }

  allocate(nodes: number, textUnits = 0): void {
    this.#nodes += nodes
    this.#textUnits += textUnits
    if (this.#nodes > this.limits.nodes) this.exceed('evaluation built too many values')
    if (this.#textUnits > this.limits.textUnits) this.exceed('evaluation built too much text')
  }

  /** Called when a rule, function or closure is entered; `leave` follows unless the evaluation ends. */
  enter(): void {
    if (++this.#depth > this.limits.callDepth) this.exceed('rules are nested too deep')
  }

  leave(): void {
    this.#depth--
  }

  exceed(what: string): never {
    throw new LimitError(what)
  }

  /** The size of a value, in values; one too large to be printed or compared is refused. @throws LimitError */
  weigh(value: Value): number {
    this.#weights ??= new Weights(this.limits.nodes, () => this.exceed('value is too large'))
    return this.#weights.of(value)
  }

  /** Charges for reading all of a value. @throws LimitError */
  chargeFor(value: Value): void {
    if (typeof value === 'string' || (typeof value === 'object' && value !== null))
      this.charge(this.weigh(value) >> WEIGHT_SHIFT)
  }

  remember<T>(name: string, make: () => T): T
  remember(name: string, make: () => unknown): unknown {
    const remembered = (this.#remembered ??= new Map<string, unknown>())
    if (remembered.has(name)) return remembered.get(name)
    const made = make()
    remembered.set(name, made)
    return made
  }

  recordFailure(code: EvaluationCode, message: string, place: Place | undefined): void {
    this.firstFailure ??= new EvaluationError(code, message, place)
  }
}

/** A body of the traced rules that succeeded. */
export interface Succeeded {
  /** position of the rule among those of its place, without the default */
  readonly index: number
  readonly place: Place
}

/** The replacement of a function under a `with`. */
export type Replacement =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'builtin'; readonly builtin: Builtin }
  | { readonly kind: 'group'; readonly group: Group }

/** The environment of the literals under one `with`: the documents, the functions, and the results of rules. */
export class World {
  readonly evaluation: Evaluation
  /** the world before this one's `with` */
  readonly outer: World | undefined
  readonly input: Value | undefined
  /** base documents */
  readonly data: Value | undefined
  /** places whose rules are hidden by a `with` */
  readonly hidden: ReadonlySet<TreeNode> | undefined
  readonly replaced: ReadonlyMap<string, Replacement> | undefined
  /** values of complete rules, including undefined ones */
  readonly complete = new Map<Group, Value | undefined>()
  /** documents of partial rules and results of functions, by requested key or operands */
  #keyed: Map<Group, Map<Key, { readonly value: Value | undefined }>> | undefined

  #unreplaced: World | undefined

  constructor(evaluation: Evaluation, documents: Documents, outer?: World) {
    this.evaluation = evaluation
    this.outer = outer
    this.input = documents.input
    this.data = documents.data
    this.hidden = documents.hidden
    this.replaced = documents.replaced
  }

  /**
   * The world in which a replacing function runs: like this one, but without replaced functions, so that it may call
   * the original.
   */
  get unreplaced(): World {
    const { input, data, hidden } = this
    return (this.#unreplaced ??= new World(this.evaluation, { input, data, hidden }, this.outer))
  }

  memo(group: Group): Map<Key, { readonly value: Value | undefined }> {
    const keyed = (this.#keyed ??= new Map<Group, Map<Key, { readonly value: Value | undefined }>>())
    const known = keyed.get(group)
    if (known !== undefined) return known
    const made = new Map<Key, { readonly value: Value | undefined }>()
    keyed.set(group, made)
    return made
  }
}

export interface Documents {
  readonly input: Value | undefined
  readonly data: Value | undefined
  readonly hidden?: ReadonlySet<TreeNode> | undefined
  readonly replaced?: ReadonlyMap<string, Replacement> | undefined
}

/** The variables of one run of one rule, and its collected results. */
export class Frame {
  world: World
  readonly slots: (Value | undefined)[]
  /** whether the running subquery has found a solution */
  found = false
  /** items collected so far by the running comprehension */
  items: Value[] = NOTHING
  set = RegoSet.EMPTY
  object = RegoObject.EMPTY
  /** result of the rules run so far */
  result: Value | undefined
  /** value reached by the reference that is being looked up */
  reached: Value | undefined
  /** receives the solutions of a partial rule or of a query */
  collector: Collector | undefined

  constructor(world: World, size: number) {
    this.world = world
    this.slots = new Array<Value | undefined>(size)
  }
}

const NOTHING: Value[] = []

/** One value, or undefined. Every variable it uses is bound. */
export type Evaluate = (frame: Frame) => Value | undefined

/** A test: whether to run the continuation. It may bind variables. */
export type Step = (frame: Frame) => boolean

/** Finds solutions and runs the continuation on each; false if the continuation wants to stop. */
export type Run = (frame: Frame) => boolean
