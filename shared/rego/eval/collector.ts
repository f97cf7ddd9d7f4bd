import { EvaluationError } from '../errors.ts'
import type { Place } from '../errors.ts'
import { RegoObject, RegoSet, equal } from '../value.ts'
import type { Value } from '../value.ts'

/** The document that partial rules define together: nested objects, with values or sets as leaves. */
export class Collector {
  document: Value | undefined
  /** the objects and sets created here, which further solutions may extend */
  #made: Set<Value> | undefined

  get #open(): Set<Value> {
    return (this.#made ??= new Set())
  }

  /**
   * Puts a value under keys. @throws EvaluationError eval_conflict_error if another one exists there, or keys below it
   */
  put(keys: readonly Value[], value: Value, place: Place): void {
    if (keys.length === 0 && this.document === undefined) {
      this.document = value
      return
    }
    const { current, attach } = this.#reach(keys, place)
    if (current === undefined) attach(value)
    else if (this.#open.has(current) || !equal(current, value)) conflict(place)
  }

  /** Adds a value to the set under keys. @throws EvaluationError eval_conflict_error if something else exists there */
  add(keys: readonly Value[], member: Value, place: Place): void {
    const { current, attach } = this.#reach(keys, place)
    const set = current === undefined ? new RegoSet() : current
    if (!(set instanceof RegoSet)) return conflict(place)
    if (current === undefined) {
      this.#open.add(set)
      attach(set)
    } else if (!this.#open.has(set)) conflict(place)
    set.add(member)
  }

  #reach(keys: readonly Value[], place: Place): { current: Value | undefined; attach: (value: Value) => void } {
    let current = this.document
    let attach = (value: Value): void => {
      this.document = value
    }
    for (const key of keys) {
      const object = current === undefined ? new RegoObject() : current
      if (!(object instanceof RegoObject)) return conflict(place)
      if (current === undefined) {
        this.#open.add(object)
        attach(object)
      } else if (!this.#open.has(object)) return conflict(place)
      current = object.get(key)
      attach = (value) => object.set(key, value)
    }
    return { current, attach }
  }
}

function conflict(place: Place): never {
  throw new EvaluationError('eval_conflict_error', 'object keys must be unique', place)
}
