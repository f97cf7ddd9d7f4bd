import { FaultAt } from '../errors.ts'

type Kind = 'arg' | 'declared' | 'assigned'

interface Scope {
  readonly declared: Map<string, { readonly unique: string; readonly kind: Kind }>
  /** names used without a declaration */
  readonly seen: Set<string>
  /** names that this scope or a surrounding one must use before its end, and their positions */
  readonly expected: Map<string, number>
}

/** The declared names at the compiler's position in one rule, innermost scope last. */
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
    const scope = { declared: new Map(), seen: new Set<string>(), expected: new Map<string, number>() }
    this.#stack.push(scope)
    const result = work()
    this.#stack.pop()
    for (const [name, at] of scope.expected) if (!scope.seen.has(name)) this.expect(name, at)
    return result
  }

  /** The unique name of a declared name, or undefined. */
  lookup(name: string): string | undefined {
    for (let i = this.#stack.length - 1; i >= 0; i--) {
      const found = this.#stack[i]?.declared.get(name)
      if (found !== undefined) return found.unique
    }
    return undefined
  }

  /** Records the use of a name as an undeclared variable. */
  use(name: string): void {
    this.#stack.at(-1)?.seen.add(name)
  }

  /** Records that the name must be used before the end of this or a surrounding scope. */
  expect(name: string, at: number): void {
    const scope = this.#stack.at(-1)
    if (scope === undefined) this.#fault(`var ${name} is undeclared`, at)
    else scope.expected.set(name, at)
  }

  isUsed = (name: string): boolean => this.#stack.some(({ seen }) => seen.has(name))

  /** Assigns a unique name to a name of the current scope, and records an invalid declaration. */
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
