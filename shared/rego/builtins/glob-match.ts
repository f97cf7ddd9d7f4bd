import { parseGlob } from './glob-pattern.ts'
import type { GlobPart } from './glob-pattern.ts'

/** A state of the machine: the characters it accepts, and whether it repeats (a star) or advances. */
interface Step {
  readonly takes: (character: string) => boolean
  /** the next state after a character: itself for stars */
  readonly then: number
}

/** A compiled pattern. `size` is the number of states: matching costs at most `size` per character. */
export interface Glob {
  readonly size: number
  readonly matches: (text: string) => boolean
}

/**
 * Compiles `pattern` to a machine that follows all possibilities at once, so that neither stars nor alternatives multiply.
 * @param delimiters single characters that `*` and `?` do not match
 * @throws GlobSyntaxError
 */
export function compileGlob(pattern: string, delimiters: ReadonlySet<string>): Glob {
  const machine = new Machine(delimiters)
  const start = machine.sequence(parseGlob(pattern), machine.end)
  return { size: machine.size, matches: (text) => machine.run(start, text) }
}

class Machine {
  readonly end = 0
  /** for each state its step; absent for forks and the end */
  private readonly steps: (Step | undefined)[] = [undefined]
  /** for each state the states that are reached without consuming a character */
  private readonly forks: (readonly number[])[] = [[]]
  private readonly delimiters: ReadonlySet<string>

  constructor(delimiters: ReadonlySet<string>) {
    this.delimiters = delimiters
  }

  get size(): number {
    return this.steps.length
  }

  private state(step: Step | undefined, forks: readonly number[]): number {
    this.steps.push(step)
    return this.forks.push(forks) - 1
  }

  /** Built from the last part to the first, so that each part knows its next state. @returns the first state */
  sequence(parts: readonly GlobPart[], next: number): number {
    return parts.reduceRight((then, part) => this.part(part, then), next)
  }

  private part(part: GlobPart, next: number): number {
    switch (part.kind) {
      case 'text':
        return Array.from(part.text).reduceRight(
          (then, wanted) => this.state({ takes: (character) => character === wanted, then }, []),
          next,
        )
      case 'any':
        return this.star((character) => !this.delimiters.has(character), next)
      case 'super':
        return this.star(() => true, next)
      case 'single':
        return this.state({ takes: (character) => !this.delimiters.has(character), then: next }, [])
      case 'oneOf':
        return this.state({ takes: (character) => part.has(character) !== part.negated, then: next }, [])
      case 'alternatives':
        return this.state(
          undefined,
          part.sequences.map((sequence) => this.sequence(sequence, next)),
        )
    }
  }

  private star(takes: (character: string) => boolean, next: number): number {
    return this.state({ takes, then: this.size }, [next])
  }

  run(start: number, text: string): boolean {
    let current = new Set<number>()
    this.enter(start, current)
    for (const character of text) {
      const following = new Set<number>()
      for (const state of current) {
        const step = this.steps[state]
        if (step?.takes(character) === true) this.enter(step.then, following)
      }
      if (following.size === 0) return false
      current = following
    }
    return current.has(this.end)
  }

  /** Adds a state and all states that it reaches without a character. */
  private enter(state: number, into: Set<number>): void {
    const waiting = [state]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (into.has(next)) continue
      into.add(next)
      waiting.push(...(this.forks[next] ?? []))
    }
  }
}

/** A pattern that matches only `text` itself. */
export const quoteGlob = (text: string): string => text.replace(/[\\*?[\]{}]/g, '\\$&')
