import { FaultAt } from '../errors.ts'

type Kind = 'arg' | 'declared' | 'assigned'

interface Scope {
  readonly declared: Map<string, { readonly unique: string; readonly kind: Kind }>
  /** names used without a declaration */
  readonly seen: Set<string>
}

/** The names declared where the compiler stands in one rule, innermost scope last. */
export class Scopes {
  readonly #stack: Scope[] = []
  readonly #faults: FaultAt[]
  readonly #strict: boolean
  #count = 0

  constructor(faults: FaultAt[], strict: boolean) {
    this.#faults = faults
    this.#strict = strict
  }

  within<T>(work: () => T): T {
    this.#stack.push({ declared: new Map(), seen: new Set() })
    const result = work()
    this.#stack.pop()
    return result
  }

  /** The unique name of a declared one, or undefined. */
  lookup(name: string): string | undefined {
    for (let i = this.#stack.length - 1; i >= 0; i--) {
      const found = this.#stack[i]?.declared.get(name)
      if (found !== undefined) return found.unique
    }
    return undefined
  }

  /** The name is used as a variable that nothing declares. */
  use(name: string): void {
    this.#stack.at(-1)?.seen.add(name)
  }

  isUsed = (name: string): boolean => this.#stack.some(({ seen }) => seen.has(name))

  /** Gives a name of the current scope a unique one and records a wrong declaration. */
  declare(name: string, kind: Kind, at: number): string {
    const scope = this.#stack.at(-1)
    if (scope === undefined) throw new RangeError('no scope')
    if (this.#strict && (name === 'input' || name === 'data'))
      this.#fault(`variables must not shadow ${name} (use a different variable name)`, at)
    const before = scope.declared.get(name)
    if (before !== undefined)
      this.#fault(before.kind === 'arg' ? `arg ${name} redeclared` : `var ${name} ${before.kind} above`, at)
    else if (scope.seen.has(name)) this.#fault(`var ${name} referenced above`, at)
    const unique = `${name}#${this.#count++}`
    scope.declared.set(name, { unique, kind })
    return unique
  }

  #fault(message: string, at: number): void {
    this.#faults.push(new FaultAt('rego_compile_error', message, at))
  }
}
