import type { Body, Call, Comprehension, Term } from '../ast.ts'
import { plain } from '../ast.ts'
import { Float, negate, parseNumber } from '../number.ts'
import type { Num } from '../number.ts'
import { isNumber } from '../value.ts'
import type { Value } from '../value.ts'
import type { Cursor } from './cursor.ts'
import type { TokenKind } from './lexer.ts'

/** Operators by level, weakest first, with their built-ins; those of one level group to the left. */
const LEVELS: readonly Partial<Record<TokenKind, string>>[] = [
  { '==': 'equal', '!=': 'neq', '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' },
  { '|': 'or' },
  { '&': 'and' },
  { '+': 'plus', '-': 'minus' },
  { '*': 'mul', '/': 'div', '%': 'rem' },
]

const constant = (value: Value, at: number): Term => ({ type: 'const', value, at })

export const call = (name: string, args: readonly Term[], at: number): Call => ({
  type: 'call',
  name: { type: 'var', name, at },
  args,
  at,
})

/**
 * A whole term, including operators and `in`; the caller may have parsed its first factor.
 * @throws FaultAt
 */
export function parseTerm(cursor: Cursor, first?: Term): Term {
  return parseMembership(cursor, first?.at ?? cursor.token.at, parseLevel(cursor, 0, first))
}

/** A whole term where a comma does not end it, so that `k, v in xs` is a term too. @throws FaultAt */
export function parseTermOrPair(cursor: Cursor): Term {
  const { at } = cursor.token
  const term = parseOperand(cursor)
  return parseMembership(cursor, at, (cursor.is(',') && parsePair(cursor, term)) || term)
}

function parseMembership(cursor: Cursor, at: number, member: Term): Term {
  let term = member
  let levels = 0
  while (cursor.acceptKeyword('in')) {
    cursor.enter(1)
    levels++
    term = call('internal.member_2', [term, parseOperand(cursor)], at)
  }
  cursor.leave(levels)
  return term
}

/** `k, v in xs` after its `k`; undefined if the comma means something else. */
function parsePair(cursor: Cursor, key: Term): Term | undefined {
  const mark = cursor.mark
  cursor.advance()
  if (!startsTerm(cursor)) {
    cursor.reset(mark)
    return undefined
  }
  const value = parseOperand(cursor)
  if (cursor.acceptKeyword('in')) return call('internal.member_3', [key, value, parseOperand(cursor)], key.at)
  cursor.reset(mark)
  return undefined
}

const STARTS: readonly TokenKind[] = ['string', 'number', 'template', '[', '{', '(', '-']

const startsTerm = (cursor: Cursor): boolean =>
  cursor.isName() ||
  ['true', 'false', 'null'].some((word) => cursor.isKeyword(word)) ||
  STARTS.includes(cursor.token.kind)

/** An operand of `in`, `=` and `:=`. */
export const parseOperand = (cursor: Cursor): Term => parseLevel(cursor, 0)

function parseLevel(cursor: Cursor, level: number, first?: Term): Term {
  const operators = LEVELS[level]
  if (operators === undefined) return first ?? parseFactor(cursor)
  const at = first?.at ?? cursor.token.at
  let left = parseLevel(cursor, level + 1, first)
  let levels = 0
  for (;;) {
    const name = operators[cursor.token.kind]
    if (name === undefined) break
    cursor.advance()
    // Terms further left are deeper in the tree.
    cursor.enter(1)
    levels++
    left = call(name, [left, parseLevel(cursor, level + 1)], at)
  }
  cursor.leave(levels)
  return left
}

function parseFactor(cursor: Cursor): Term {
  const { token } = cursor
  if (token.kind !== '-') return parseReference(cursor, parsePrimary(cursor))
  cursor.advance()
  const operand = cursor.nested(() => parseFactor(cursor))
  if (operand.type === 'const' && isNumber(operand.value)) return constant(negative(operand.value), token.at)
  return call('minus', [constant(0, token.at), operand], token.at)
}

/** A literal keeps its text: `-1.50`. */
const negative = (value: Num): Num =>
  (value instanceof Float && value.literal !== undefined && parseNumber(`-${value.literal}`)) || negate(value)

function parsePrimary(cursor: Cursor): Term {
  const { token } = cursor
  switch (token.kind) {
    case 'number':
      cursor.advance()
      return constant(token.number ?? 0, token.at)
    case 'string':
      cursor.advance()
      return constant(token.text, token.at)
    case 'template':
      return parseTemplate(cursor)
    case '[':
      return cursor.nested(() => parseArray(cursor))
    case '{':
      return cursor.nested(() => parseBraces(cursor))
    case '(':
      return cursor.nested(() => parseParentheses(cursor))
    case 'word':
      return parseWord(cursor)
    default:
      return cursor.unexpected()
  }
}

function parseWord(cursor: Cursor): Term {
  const { token } = cursor
  for (const [word, value] of [
    ['true', true],
    ['false', false],
    ['null', null],
  ] as const)
    if (cursor.acceptKeyword(word)) return constant(value, token.at)
  if (!cursor.isName()) return cursor.unexpected()
  cursor.advance()
  if (token.text === 'set' && cursor.touches('(') && cursor.peek().kind === ')') {
    cursor.advance()
    cursor.advance()
    return { type: 'set', items: [], at: token.at }
  }
  return token.text === '_' ? cursor.fresh(token.at) : { type: 'var', name: token.text, at: token.at }
}

function parseParentheses(cursor: Cursor): Term {
  cursor.expect('(')
  const term = parseTermOrPair(cursor)
  cursor.expect(')')
  return term
}

/** Dots, brackets and arguments directly after a term, without a blank between. */
export function parseReference(cursor: Cursor, head: Term): Term {
  let term = head
  let path: Term[] = []
  const finish = (): Term => (path.length === 0 ? term : { type: 'ref', head: term, path, at: term.at })
  for (;;) {
    if (cursor.touches('.') && isReferable(term)) {
      cursor.advance()
      const name =
        cursor.is('word') && cursor.token.at === cursor.behind ? cursor.advance() : cursor.unexpected('expected name')
      path.push(constant(name.text, name.at))
    } else if (cursor.touches('[') && isReferable(term)) {
      path.push(parseBracket(cursor))
    } else if (cursor.touches('(')) {
      term = parseCall(cursor, finish())
      path = []
    } else return finish()
  }
}

const isReferable = (term: Term): boolean => term.type !== 'const' && term.type !== 'template'

function parseBracket(cursor: Cursor): Term {
  cursor.expect('[')
  const key = cursor.nested(() => parseTerm(cursor))
  cursor.expect(']')
  return key
}

function parseCall(cursor: Cursor, name: Term): Term {
  if (name.type !== 'var' && name.type !== 'ref') return cursor.unexpected()
  if (name.type === 'ref' && name.head.type !== 'var') return cursor.unexpected()
  return { type: 'call', name, args: parseArguments(cursor), at: name.at }
}

/** `(a, b,)`, including the parentheses. */
export function parseArguments(cursor: Cursor): Term[] {
  cursor.expect('(')
  return cursor.nested(() => parseItems(cursor, ')'))
}

function parseItems(cursor: Cursor, close: TokenKind, first?: Term): Term[] {
  const items: Term[] = []
  if (first !== undefined) {
    items.push(first)
    if (!cursor.accept(',')) {
      cursor.expect(close)
      return items
    }
  }
  while (!cursor.accept(close)) {
    items.push(parseTerm(cursor))
    if (!cursor.is(close)) cursor.expect(',')
  }
  return items
}

function parseArray(cursor: Cursor): Term {
  const { at } = cursor.expect('[')
  if (cursor.accept(']')) return { type: 'array', items: [], at }
  const first = parseFactor(cursor)
  const body = parseComprehensionBody(cursor, ']')
  if (body !== undefined) return { type: 'comprehension', kind: 'array', term: first, body, at }
  return { type: 'array', items: parseItems(cursor, ']', parseTerm(cursor, first)), at }
}

/** A set, an object, or a comprehension of either. */
function parseBraces(cursor: Cursor): Term {
  const { at } = cursor.expect('{')
  if (cursor.accept('}')) return { type: 'object', entries: [], at }
  const factor = parseFactor(cursor)
  const body = parseComprehensionBody(cursor, '}')
  if (body !== undefined) return { type: 'comprehension', kind: 'set', term: factor, body, at }
  const first = parseTerm(cursor, factor)
  if (!cursor.accept(':')) return { type: 'set', items: parseItems(cursor, '}', first), at }
  return parseObject(cursor, first, at)
}

/** An object or its comprehension, after the first key and the colon. */
function parseObject(cursor: Cursor, key: Term, at: number): Term {
  const value = parseFactor(cursor)
  const body = parseComprehensionBody(cursor, '}')
  if (body !== undefined) return { type: 'comprehension', kind: 'object', key, term: value, body, at }
  const entries: [Term, Term][] = [[key, parseTerm(cursor, value)]]
  while (!cursor.accept('}')) {
    cursor.expect(',')
    if (cursor.accept('}')) break
    const next = parseTerm(cursor)
    cursor.expect(':')
    entries.push([next, parseTerm(cursor)])
  }
  return { type: 'object', entries, at }
}

/**
 * The body after `|` and the first factor of a collection, up to `close`. Undefined, with nothing consumed, if it stops
 * at a comma: then `|` is the operator in the first of several elements.
 */
function parseComprehensionBody(cursor: Cursor, close: TokenKind): Body | undefined {
  if (!cursor.is('|')) return undefined
  return cursor.attempt(
    () => {
      cursor.advance()
      const body = cursor.grammar.body(cursor, close)
      cursor.expect(close)
      return body
    },
    () => cursor.is(','),
  )
}

function parseTemplate(cursor: Cursor): Term {
  const token = cursor.advance()
  const parts = (token.parts ?? []).map((part) =>
    typeof part === 'string' ? part : cursor.within(part, () => parseHole(cursor)),
  )
  return { type: 'template', parts, at: token.at }
}

/** One expression, as the set of its values. */
function parseHole(cursor: Cursor): Comprehension {
  const { at } = cursor.token
  if (cursor.is('end')) cursor.fail('found empty template expression')
  const literal = cursor.grammar.literal(cursor)
  if (literal.negated) cursor.fail('unexpected negation in template expression', at)
  const { expression } = literal
  if (expression.type === 'unify')
    cursor.fail(`unexpected ${expression.assigns ? 'assignment' : 'unification'} in template expression`, at)
  if (expression.type === 'not') cursor.fail('unexpected negation in template expression', at)
  if (expression.type !== 'term') return cursor.fail(`unexpected ${expression.type} in template expression`, at)
  if (!cursor.is('end')) cursor.unexpected('expected }')
  const value = cursor.fresh(at)
  const gives = plain({ type: 'unify', left: value, right: expression.term, assigns: false }, at, literal.withs)
  return { type: 'comprehension', kind: 'set', term: value, body: [gives], at }
}
