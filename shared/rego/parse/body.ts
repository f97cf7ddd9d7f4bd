import type { Body, Expression, Literal, Term, Var, With } from '../ast.ts'
import type { Cursor } from './cursor.ts'
import type { TokenKind } from './lexer.ts'
import { parseOperand, parseReference, parseTerm, parseTermOrPair } from './term.ts'

/** Literals up to `close`, which is not consumed. A line break or a semicolon must separate them. @throws FaultAt */
export function parseBody(cursor: Cursor, close: TokenKind): Body {
  const literals: Literal[] = []
  while (cursor.accept(';'));
  if (cursor.is(close)) cursor.fail('found empty body')
  for (;;) {
    literals.push(parseLiteral(cursor))
    if (literals.length > cursor.limits.bodyLiterals) cursor.exceed('too many expressions in one body')
    const separated = cursor.accept(';') || cursor.token.newLine
    while (cursor.accept(';'));
    if (cursor.is(close)) return literals
    if (!separated) cursor.unexpected(`expected \\n or ; or ${close === 'end' ? 'eof' : close}`)
  }
}

/** `{ body }` */
export function parseBracedBody(cursor: Cursor): Body {
  cursor.expect('{')
  const body = cursor.nested(() => parseBody(cursor, '}'))
  cursor.expect('}')
  return body
}

/** One literal with its `with`s. @throws FaultAt */
export function parseLiteral(cursor: Cursor): Literal {
  const { at } = cursor.token
  cursor.countLiteral()
  if (!cursor.acceptKeyword('not')) {
    const expression = parseExpression(cursor)
    return { at, negated: false, withs: parseWiths(cursor), expression }
  }
  if (!cursor.closedNegation) {
    const expression = parseExpression(cursor)
    const word = expression.type === 'some-in' ? 'some' : expression.type
    if (word === 'some' || word === 'every') cursor.fail(`illegal negation of '${word}'`, at)
    return { at, negated: true, withs: parseWiths(cursor), expression }
  }
  return closedNegation(cursor, at)
}

/** With `import future.keywords.not`: everything that the literal needs is evaluated inside the negation. */
function closedNegation(cursor: Cursor, at: number): Literal {
  const { braced, body } = parseLiteralOrBody(cursor)
  // Without braces the inner literal has already consumed its own `with`s.
  return { at, negated: false, withs: braced ? parseWiths(cursor) : [], expression: { type: 'not', body } }
}

interface Opened {
  readonly braced: boolean
  readonly body: Body
}

/**
 * The operand of `if` and `not`: one literal, or a body in braces. Braces that can be parsed as a term are a term,
 * except a set, which as a literal would always succeed: `{true}` is a body, `{}` and `{"a": 1}` are objects.
 */
export function parseLiteralOrBody(cursor: Cursor): Opened {
  if (!cursor.is('{')) return { braced: false, body: [parseLiteral(cursor)] }
  const mark = cursor.mark
  const literal = cursor.attempt(() => parseLiteral(cursor))
  if (literal !== undefined && !isSetLiteral(literal)) return { braced: false, body: [literal] }
  cursor.reset(mark)
  return { braced: true, body: parseBracedBody(cursor) }
}

const isSetLiteral = ({ expression }: Literal): boolean => expression.type === 'term' && expression.term.type === 'set'

function parseWiths(cursor: Cursor): With[] {
  const withs: With[] = []
  while (cursor.isKeyword('with')) {
    const { at } = cursor.advance()
    const target = parseTarget(cursor)
    if (!cursor.acceptKeyword('as')) cursor.unexpected('expected as keyword')
    withs.push({ at, target, value: parseTerm(cursor) })
  }
  return withs
}

function parseTarget(cursor: Cursor): Term {
  const { at, text } = cursor.token
  if (!cursor.isName()) return cursor.unexpected('expected with target path')
  cursor.advance()
  return parseReference(cursor, { type: 'var', name: text, at })
}

function parseExpression(cursor: Cursor): Expression {
  if (cursor.isKeyword('some')) return parseSome(cursor)
  if (cursor.isKeyword('every')) return parseEvery(cursor)
  const left = parseTermOrPair(cursor)
  if (cursor.accept('=')) return { type: 'unify', left, right: parseTermOrPair(cursor), assigns: false }
  if (cursor.accept(':=')) return { type: 'unify', left, right: parseTermOrPair(cursor), assigns: true }
  return { type: 'term', term: left }
}

/** `some x, y`, `some x in xs`, `some k, v in xs`. */
function parseSome(cursor: Cursor): Expression {
  cursor.advance()
  const terms = [parseOperand(cursor)]
  while (cursor.accept(',')) terms.push(parseOperand(cursor))
  const [first, second] = terms
  if (cursor.isKeyword('in')) {
    if (first === undefined || terms.length > 2) return cursor.fail('expected one or two variables before in')
    cursor.advance()
    const domain = parseTerm(cursor)
    return { type: 'some-in', key: second && first, value: second ?? first, domain }
  }
  return { type: 'some', names: terms.map((term) => asName(cursor, term)) }
}

function asName(cursor: Cursor, term: Term): Var {
  return term.type === 'var' ? term : cursor.fail('expected variable', term.at)
}

function parseEvery(cursor: Cursor): Expression {
  const { at } = cursor.advance()
  const names = [parseOperand(cursor)]
  if (cursor.accept(',')) names.push(parseOperand(cursor))
  const [first, second] = names.map((term) => asName(cursor, term))
  if (first === undefined || !cursor.acceptKeyword('in'))
    return cursor.fail('expected `x[, y] in xs { ... }` expression', at)
  const domain = parseTerm(cursor)
  return { type: 'every', key: second && first, value: second ?? first, domain, body: parseBracedBody(cursor) }
}
