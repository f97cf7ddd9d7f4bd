import { ApiError } from '../wire/errors.ts'

export type Literal = string | number | boolean | null

/** A condition of a WHERE clause. */
export type Condition =
  | { readonly kind: 'compare'; readonly field: string; readonly operator: string; readonly values: readonly Literal[] }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }

export interface Select {
  /** Empty for `COUNT()`. */
  readonly fields: readonly string[]
  readonly object: string
  readonly where: Condition | undefined
  readonly order: readonly { readonly field: string; readonly isDescending: boolean }[]
  readonly limit: number | undefined
  readonly offset: number
}

const TOKEN =
  /\s*(?:(?<text>'(?:[^'\\]|\\.)*')|(?<time>\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d))?)|(?<number>-?\d+(?:\.\d+)?)|(?<word>[A-Za-z_][\w.]*)|(?<sign><=|>=|!=|<>|[=<>(),]))/y

type TokenKind = 'text' | 'time' | 'number' | 'word' | 'sign'
interface Token {
  readonly kind: TokenKind
  readonly text: string
}

const malformed = (near: string) => new ApiError('MALFORMED_QUERY', `unexpected token: ${near}`)

/** Parses the part of the query language that clients of key management need. @throws ApiError MALFORMED_QUERY */
export function parseSelect(text: string): Select {
  const reader = new Reader(tokensOf(text.trim()))
  reader.expect('SELECT')
  const fields = reader.accept('COUNT') ? (reader.expect('('), reader.expect(')'), []) : listOf(reader, wordIn)
  reader.expect('FROM')
  const object = wordIn(reader)
  const where = reader.accept('WHERE') ? conditionIn(reader) : undefined
  const order = reader.accept('ORDER') ? (reader.expect('BY'), listOf(reader, orderIn)) : []
  const limit = reader.accept('LIMIT') ? numberIn(reader) : undefined
  const offset = reader.accept('OFFSET') ? numberIn(reader) : 0
  reader.end()
  return { fields, object, where, order, limit, offset }
}

function tokensOf(text: string): Token[] {
  const pattern = new RegExp(TOKEN)
  const tokens: Token[] = []
  while (pattern.lastIndex < text.length) {
    const start = pattern.lastIndex
    const groups: Partial<Record<string, string>> = pattern.exec(text)?.groups ?? {}
    const [kind, found] = Object.entries(groups).find(([, each]) => each !== undefined) ?? []
    if (found === undefined) throw malformed(text.slice(start, start + 10))
    tokens.push({ kind: kind as TokenKind, text: found }) // a group of the pattern
  }
  return tokens
}

class Reader {
  readonly #tokens: readonly Token[]
  #next = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  /** Reads a keyword or sign if it is next. */
  accept(text: string): boolean {
    const { kind, text: next } = this.#peek()
    if (kind === 'text' || next.toUpperCase() !== text) return false
    this.#next++
    return true
  }

  expect(text: string): void {
    if (!this.accept(text)) throw malformed(this.#peek().text)
  }

  take(...kinds: readonly TokenKind[]): Token {
    const token = this.#peek()
    if (!kinds.includes(token.kind)) throw malformed(token.text)
    this.#next++
    return token
  }

  end(): void {
    if (this.#next < this.#tokens.length) throw malformed(this.#peek().text)
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'sign', text: '<EOF>' }
  }
}

const wordIn = (reader: Reader): string => reader.take('word').text
const numberIn = (reader: Reader): number => Number(reader.take('number').text)

function listOf<T>(reader: Reader, each: (reader: Reader) => T): T[] {
  const items = [each(reader)]
  while (reader.accept(',')) items.push(each(reader))
  return items
}

function orderIn(reader: Reader) {
  const field = wordIn(reader)
  const isDescending = reader.accept('DESC')
  if (!isDescending) reader.accept('ASC')
  if (reader.accept('NULLS') && !reader.accept('FIRST')) reader.expect('LAST')
  return { field, isDescending }
}

/** The language demands parentheses where AND and OR meet. */
function conditionIn(reader: Reader): Condition {
  const first = partIn(reader)
  return joined(reader, 'and', first) ?? joined(reader, 'or', first) ?? first
}

function joined(reader: Reader, kind: 'and' | 'or', first: Condition): Condition | undefined {
  const parts = [first]
  while (reader.accept(kind.toUpperCase())) parts.push(partIn(reader))
  return parts.length === 1 ? undefined : { kind, parts }
}

function partIn(reader: Reader): Condition {
  if (reader.accept('NOT')) return { kind: 'not', part: partIn(reader) }
  if (reader.accept('(')) {
    const inner = conditionIn(reader)
    reader.expect(')')
    return inner
  }
  const field = wordIn(reader)
  const isNegated = reader.accept('NOT')
  if (isNegated || reader.accept('IN')) return listComparison(reader, field, isNegated)
  const operator = reader.accept('LIKE') ? 'LIKE' : reader.take('sign').text.replace('<>', '!=')
  return { kind: 'compare', field, operator, values: [literalIn(reader)] }
}

function listComparison(reader: Reader, field: string, isNegated: boolean): Condition {
  if (isNegated) reader.expect('IN')
  reader.expect('(')
  const part: Condition = { kind: 'compare', field, operator: 'IN', values: listOf(reader, literalIn) }
  reader.expect(')')
  return isNegated ? { kind: 'not', part } : part
}

const WORDS: Readonly<Record<string, Literal>> = { TRUE: true, FALSE: false, NULL: null }

function literalIn(reader: Reader): Literal {
  const { kind, text } = reader.take('text', 'number', 'time', 'word')
  if (kind === 'text') return text.slice(1, -1).replaceAll(/\\(.)/g, '$1')
  if (kind === 'number') return Number(text)
  if (kind === 'time') return text
  const value = WORDS[text.toUpperCase()]
  if (value === undefined) throw malformed(text)
  return value
}
