/** Pseudorandom choices, the same for the same seed: xorshift32. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = Math.imul(seed ^ 0x9e37_79b9, 2_654_435_761) | 1
    for (let round = 0; round < 8; round++) this.fraction()
  }

  /** In [0, 1). */
  fraction(): number {
    this.#state ^= this.#state << 13
    this.#state ^= this.#state >>> 17
    this.#state ^= this.#state << 5
    return (this.#state >>> 0) / 2 ** 32
  }

  /** From `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  of<T>(choices: readonly T[]): T {
    const choice = choices[Math.floor(this.fraction() * choices.length)]
    if (choice === undefined) throw new Error('There is nothing to choose from')
    return choice
  }
}
