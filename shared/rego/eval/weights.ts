import { isArray } from '../value.ts'
import { Float } from '../number.ts'
import type { Value } from '../value.ts'

/** Characters of a string that weigh as much as one value. */
const CHARACTERS_PER_VALUE = 32

/** Hexadecimal digits of a large integer that weigh as much as one value: 64 bits. */
const DIGITS_PER_VALUE = 16

/**
 * Sizes of values when printed. Values share their parts, so a few steps can build a value that would take too long to
 * print, compare or look up: `x1 = [x0, x0]`, `x2 = [x1, x1]`, ... A value that is too large is refused when it is
 * built.
 */
export class Weights {
  readonly #known = new WeakMap<object, number>()
  readonly #limit: number
  readonly #refuse: () => never

  /** @param limit in values, a string counting one for every 32 characters besides itself */
  constructor(limit: number, refuse: () => never) {
    this.#limit = limit
    this.#refuse = refuse
  }

  /** Weight of a value; each collection is measured once. @throws the error of `refuse`, above the limit */
  of(value: Value): number {
    if (typeof value === 'string') return 1 + Math.floor(value.length / CHARACTERS_PER_VALUE)
    if (typeof value === 'bigint') return 1 + Math.floor(value.toString(16).length / DIGITS_PER_VALUE)
    if (typeof value !== 'object' || value === null || value instanceof Float) return 1
    const known = this.#known.get(value)
    if (known !== undefined) return known
    let weight = 1
    const add = (part: Value): void => {
      weight += this.of(part)
      if (weight > this.#limit) this.#refuse()
    }
    if (isArray(value)) value.forEach(add)
    else value.parts(add)
    this.#known.set(value, weight)
    return weight
  }
}
