import { timeText, type Cell, type Cells, type Column } from './columns.ts'
import { semanticError, syntaxError, type Token } from './query-tokens.ts'

/** Reads the tokens of a query one after the other. */
export interface Reader {
  readonly peek: () => Token
  readonly take: () => Token
  /** Skips the next token if it is `text`; returns whether it was. */
  readonly accept: (text: string) => boolean
  /** @throws ApiError BadArgumentError unless the next token is `text` */
  readonly expect: (text: string) => void
  readonly broken: () => Error
}

export function readerOf(query: string, tokens: readonly Token[]): Reader {
  let at = 0
  const peek = (): Token => tokens[at] ?? { kind: 'end', text: '', at: query.length }
  const isNext = (text: string) => peek().kind !== 'text' && peek().text.toLowerCase() === text
  const broken = () => syntaxError(query, peek().at, peek().text)
  const accept = (text: string): boolean => {
    if (!isNext(text)) return false
    at++
    return true
  }
  return {
    peek,
    broken,
    accept,
    take: () => tokens[at++] ?? peek(),
    expect: (text) => {
      if (!accept(text)) throw broken()
    },
  }
}

type Holds = (row: Cells) => boolean
type Type = Column['type'] | 'bool'

/** A column, a literal or a function of one, and its type. */
interface Value {
  readonly type: Type
  readonly of: (row: Cells) => Cell
}

/** Conditions of `where`: comparisons, joined by `and` and `or` in brackets. @throws ApiError BadArgumentError */
export function conditionIn(reader: Reader, columns: readonly Column[], now: number): Holds {
  const any = (): Holds => {
    const parts = [every()]
    while (reader.accept('or')) parts.push(every())
    return (row) => parts.some((holds) => holds(row))
  }
  const every = (): Holds => {
    const parts = [one()]
    while (reader.accept('and')) parts.push(one())
    return (row) => parts.every((holds) => holds(row))
  }
  const one = (): Holds => {
    if (reader.accept('not')) {
      reader.expect('(')
      const inner = any()
      reader.expect(')')
      return (row) => !inner(row)
    }
    if (!reader.accept('(')) return comparison(reader, columns, now)
    const inner = any()
    reader.expect(')')
    return inner
  }
  return any()
}

const EMPTINESS: Readonly<Record<string, (value: Cell) => boolean>> = {
  isempty: (value) => value === null || value === '',
  isnotempty: (value) => value !== null && value !== '',
}

function comparison(reader: Reader, columns: readonly Column[], now: number): Holds {
  const emptiness = EMPTINESS[reader.peek().text]
  if (emptiness !== undefined) {
    reader.take()
    const [value] = argumentsIn(reader, columns, now, 1)
    return (row) => emptiness(value?.of(row) ?? null)
  }
  const left = valueIn(reader, columns, now)
  const operator = reader.peek()
  const lists = LISTS[operator.text]
  if (lists !== undefined) {
    reader.take()
    const right = argumentsIn(reader, columns, now)
    right.forEach((value) => requireComparable('==', left, value))
    return (row) =>
      lists(
        left.of(row),
        right.map((value) => value.of(row)),
      )
  }
  const compare = OPERATORS[operator.text]
  if (compare === undefined || operator.kind === 'text') throw reader.broken()
  reader.take()
  const right = valueIn(reader, columns, now)
  requireComparable(operator.text, left, right)
  return (row) => compare(left.of(row), right.of(row))
}

/** Texts have no order in the query language, except with `strcmp`. @throws ApiError BadArgumentError */
function requireComparable(operator: string, { type: left }: Value, { type: right }: Value): void {
  const isOrdered = left !== 'string' && left !== 'bool'
  if (left === right && (isOrdered || !/^[<>]/.test(operator))) return
  throw semanticError(`Cannot compare values of types ${left} and ${right}. Try adding explicit casts`, 'SEM0064')
}

/** Values in brackets. @param count required number; default: any number */
function argumentsIn(reader: Reader, columns: readonly Column[], now: number, count?: number): readonly Value[] {
  reader.expect('(')
  const values = [valueIn(reader, columns, now)]
  while (reader.accept(',')) values.push(valueIn(reader, columns, now))
  if (count !== undefined && values.length !== count) throw reader.broken()
  reader.expect(')')
  return values
}

const lower = (value: Cell): string => String(value ?? '').toLowerCase()

interface FunctionRow {
  readonly type: Type
  readonly count: number
  readonly of: (...values: readonly Cell[]) => Cell
}
const FUNCTIONS: Readonly<Record<string, FunctionRow>> = {
  tolower: { type: 'string', count: 1, of: (value = null) => lower(value) },
  toupper: { type: 'string', count: 1, of: (value = null) => String(value ?? '').toUpperCase() },
  tostring: { type: 'string', count: 1, of: (value = null) => String(value ?? '') },
  strcmp: { type: 'real', count: 2, of: (a = null, b = null) => order(String(a ?? ''), String(b ?? '')) },
}
const UNIT_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }

const literal = (type: Type, value: Cell): Value => ({ type, of: () => value })

function valueIn(reader: Reader, columns: readonly Column[], now: number): Value {
  const { kind, text } = reader.peek()
  if (kind !== 'text' && kind !== 'number' && kind !== 'name') throw reader.broken()
  reader.take()
  if (kind === 'text') return literal('string', text)
  if (kind === 'number') return literal('real', numberOf(reader, text))
  if (text === 'true' || text === 'false') return literal('bool', text === 'true')
  if (text === 'datetime') return timeIn(reader)
  if (text === 'now') {
    reader.expect('(')
    reader.expect(')')
    return literal('datetime', timeText(now))
  }
  if (text === 'ago') return agoIn(reader, now)
  const row = FUNCTIONS[text]
  if (row !== undefined) {
    const values = argumentsIn(reader, columns, now, row.count)
    return { type: row.type, of: (cells) => row.of(...values.map((value) => value.of(cells))) }
  }
  return { type: columnNamed('where', columns, text).type, of: (cells) => cells[text] ?? null }
}

function numberOf(reader: Reader, text: string): number {
  const value = Number(text)
  if (Number.isNaN(value)) throw reader.broken()
  return value
}

/** Digits of a second beyond the milliseconds. */
const FINE = /\.\d{3}(\d{1,4})Z?$/

/** A time in brackets, quoted or not: `datetime(2026-11-23T08:00:00.1234567Z)`. */
function timeIn(reader: Reader): Value {
  reader.expect('(')
  const { kind, text } = reader.take()
  const at = Date.parse(text)
  if (kind !== 'text' || Number.isNaN(at)) throw semanticError(`Failed to parse datetime literal: '${text}'`)
  reader.expect(')')
  return literal('datetime', timeText(at, Number((FINE.exec(text)?.[1] ?? '').padEnd(4, '0'))))
}

function agoIn(reader: Reader, now: number): Value {
  reader.expect('(')
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)(d|h|m|s|ms)$/.exec(reader.peek().text) ?? []
  const length = UNIT_MS[unit]
  if (length === undefined) throw reader.broken()
  reader.take()
  reader.expect(')')
  return literal('datetime', timeText(now - Number(count) * length))
}

/** @throws ApiError BadArgumentError */
export function columnNamed(operator: string, columns: readonly Column[], name: string): Column {
  const column = columns.find((each) => each.name === name)
  if (column !== undefined) return column
  throw semanticError(`'${operator}' operator: Failed to resolve column or scalar expression named '${name}'`)
}

/** Compares numbers by size, anything else as texts. */
export function order(a: Cell, b: Cell): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [x, y] = [String(a ?? ''), String(b ?? '')]
  return x < y ? -1 : x > y ? 1 : 0
}

type Compare = (a: Cell, b: Cell) => boolean
const OPERATORS: Readonly<Record<string, Compare>> = {
  '==': (a, b) => order(a, b) === 0,
  '!=': (a, b) => order(a, b) !== 0,
  '=~': (a, b) => lower(a) === lower(b),
  '!~': (a, b) => lower(a) !== lower(b),
  '<': (a, b) => order(a, b) < 0,
  '<=': (a, b) => order(a, b) <= 0,
  '>': (a, b) => order(a, b) > 0,
  '>=': (a, b) => order(a, b) >= 0,
  contains: (a, b) => lower(a).includes(lower(b)),
  startswith: (a, b) => lower(a).startsWith(lower(b)),
  endswith: (a, b) => lower(a).endsWith(lower(b)),
}

const LISTS: Readonly<Record<string, (a: Cell, list: readonly Cell[]) => boolean>> = {
  in: (a, list) => list.some((b) => order(a, b) === 0),
  '!in': (a, list) => !list.some((b) => order(a, b) === 0),
  'in~': (a, list) => list.some((b) => lower(a) === lower(b)),
  '!in~': (a, list) => !list.some((b) => lower(a) === lower(b)),
}
