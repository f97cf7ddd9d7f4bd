import type { Body, Literal, Var } from '../ast.ts'
import { FaultAt } from '../errors.ts'
import type { Limits } from '../limits.ts'
import { charge } from '../work.ts'
import type { Token, TokenKind } from './lexer.ts'

/** Words that are never names, in either dialect. */
const RESERVED = ['package', 'import', 'default', 'as', 'else', 'not', 'with', 'some', 'null', 'true', 'false']

/** Words that are keywords in v1, and in v0 once imported. */
export const FUTURE_KEYWORDS = ['in', 'every', 'contains', 'if'] as const

const isFuture = (word: string): boolean => FUTURE_KEYWORDS.some((keyword) => keyword === word)

export const importHint = (keyword: string): string =>
  ` (hint: \`import future.keywords.${keyword}\` to import a future keyword)`

/** A token may be parsed repeatedly if a text is ambiguous; this bounds the repetitions. */
const WORK_PER_CHARACTER = 8

/** Parsers that terms depend on and that themselves depend on terms: of comprehensions, and of holes of templates. */
export interface Grammar {
  readonly body: (cursor: Cursor, close: TokenKind) => Body
  readonly literal: (cursor: Cursor) => Literal
}

/**
 * The parser's position in the tokens of one text, and the words that the dialect and the imports have made keywords so
 * far.
 */
export class Cursor {
  readonly limits: Limits
  readonly grammar: Grammar
  readonly #reserved = new Set<string>(RESERVED)
  readonly #all: readonly Token[]
  #tokens: readonly Token[]
  #index = 0
  #depth = 0
  #generated = 0
  #literals = 0
  #rules = 0
  /** the checks of v1 apply */
  strict = false
  /** `import future.keywords.not`: negation is a query of its own */
  closedNegation = false
  #work: number

  constructor(tokens: readonly Token[], limits: Limits, grammar: Grammar) {
    this.#all = tokens
    this.#tokens = tokens
    this.limits = limits
    this.grammar = grammar
    this.#work = ((tokens.at(-1)?.end ?? 0) + 1) * WORK_PER_CHARACTER
  }

  get token(): Token {
    return this.#at(0)
  }

  peek(ahead = 1): Token {
    return this.#at(ahead)
  }

  #at(ahead: number): Token {
    const token = this.#tokens[this.#index + ahead] ?? this.#tokens.at(-1)
    if (token === undefined) throw new RangeError('no tokens')
    return token
  }

  /** End of the previous token. */
  get behind(): number {
    return this.#tokens[this.#index - 1]?.end ?? 0
  }

  advance(): Token {
    const { token } = this
    if (--this.#work < 0) this.exceed('expression is too complex')
    charge()
    this.#index++
    return token
  }

  get mark(): number {
    return this.#index
  }

  reset(mark: number): void {
    this.#index = mark
  }

  /**
   * Runs `parse`. If it fails and `other` holds at the place of the failure, restores the position and returns
   * undefined.
   */
  attempt<T>(parse: () => T, other = (): boolean => true): T | undefined {
    const [tokens, index, depth, literals] = [this.#tokens, this.#index, this.#depth, this.#literals]
    try {
      return parse()
    } catch (error) {
      if (!(error instanceof FaultAt) || !other()) throw error
      this.#tokens = tokens
      this.#index = index
      this.#depth = depth
      this.#literals = literals
      return undefined
    }
  }

  /** After a fault, skips to the next statement: the first word at the beginning of a line. */
  skipStatement(from: number): void {
    // Inside the hole of a template, the failed position is unrelated to the surrounding text.
    this.#index = this.#tokens === this.#all ? Math.max(this.#index, from + 1) : from + 1
    this.#tokens = this.#all
    this.#depth = 0
    while (!this.is('end') && !(this.token.newLine && this.is('word') && this.token.firstColumn)) this.#index++
  }

  reserve(keyword: string): void {
    this.#reserved.add(keyword)
  }

  is(kind: TokenKind): boolean {
    return this.token.kind === kind
  }

  /**
   * Whether the token is this keyword. A word directly before a dot is a name (`if.x`), and so is the call `contains(`.
   */
  isKeyword(keyword: string): boolean {
    return this.token.text === keyword && this.#isReserved(this.token, this.peek())
  }

  /** A word that may be a name here. */
  isName(): boolean {
    return this.is('word') && !this.#isReserved(this.token, this.peek())
  }

  #isReserved(token: Token, next: Token): boolean {
    if (token.kind !== 'word' || !this.#reserved.has(token.text)) return false
    const named = next.kind === '.' || (next.kind === '(' && token.text === 'contains')
    return !(named && next.at === token.end)
  }

  /** Whether a bracket, dot or parenthesis directly follows the previous token. */
  touches(kind: TokenKind): boolean {
    return this.is(kind) && this.token.at === this.behind
  }

  accept(kind: TokenKind): boolean {
    if (!this.is(kind)) return false
    this.advance()
    return true
  }

  acceptKeyword(keyword: string): boolean {
    if (!this.isKeyword(keyword)) return false
    this.advance()
    return true
  }

  /** @throws FaultAt for any other token */
  expect(kind: TokenKind): Token {
    return this.is(kind) ? this.advance() : this.unexpected(`expected ${kind}`)
  }

  fail(message: string, at = this.token.at): never {
    throw new FaultAt('rego_parse_error', message, at)
  }

  /** Reports that a limit was reached, which is not a fault of the language. */
  exceed(message: string): never {
    throw new FaultAt('rego_compile_error', message, this.token.at)
  }

  unexpected(why?: string): never {
    const { token } = this
    const what = token.kind === 'end' ? 'eof' : token.kind === 'word' ? describeWord(this, token) : token.kind
    return this.fail(`unexpected ${what} token${why === undefined ? '' : `: ${why}`}${this.futureHint}`)
  }

  /**
   * A hint for a text of v1 parsed as v0, if it failed at or directly after a word that would be a keyword if imported.
   */
  get futureHint(): string {
    const word = [this.token, this.#tokens[this.#index - 1]].find(
      (token) => token?.kind === 'word' && isFuture(token.text) && !this.#reserved.has(token.text),
    )
    return word === undefined ? '' : importHint(word.text)
  }

  /** Runs `parse` one level deeper. Nesting is bounded, so that walking the tree cannot overflow the stack. */
  nested<T>(parse: () => T): T {
    this.enter(1)
    const result = parse()
    this.#depth--
    return result
  }

  /** Deepens the nesting by some levels from here on; the caller ends them with `leave`. */
  enter(levels: number): void {
    this.#depth += levels
    if (this.#depth > this.limits.parserDepth) this.exceed('expression is nested too deep')
  }

  leave(levels: number): void {
    this.#depth -= levels
  }

  countLiteral(): void {
    if (++this.#literals > this.limits.literals) this.exceed('too many expressions in the policy')
  }

  /** A rule, a further body of one, or a branch of `else`. */
  countRule(): void {
    if (++this.#rules > this.limits.rules) this.exceed('too many rules in the policy')
  }

  /** A variable that a text cannot name: a wildcard, the value of a hole. */
  fresh(at: number): Var {
    return { type: 'var', name: `$${this.#generated++}`, at }
  }

  /** Parses the tokens inside another token: the hole of a template. */
  within<T>(tokens: readonly Token[], parse: () => T): T {
    const [outer, index] = [this.#tokens, this.#index]
    this.#tokens = tokens
    this.#index = 0
    const result = this.nested(parse)
    this.#tokens = outer
    this.#index = index
    return result
  }
}

const describeWord = (cursor: Cursor, token: Token): string =>
  cursor.isName() ? 'identifier' : `${token.text} keyword`
