import type { Body, Import, Module, Rule } from '../ast.ts'
import { FaultAt } from '../errors.ts'
import type { Limits } from '../limits.ts'
import { MAX_FAULTS } from '../limits.ts'
import { text as asText } from '../text.ts'
import type { Value } from '../value.ts'
import { parseBody, parseLiteral } from './body.ts'
import { Cursor, FUTURE_KEYWORDS } from './cursor.ts'
import { tokenize } from './lexer.ts'
import type { Comment } from './lexer.ts'
import { parseRules } from './rule.ts'
import { parseReference } from './term.ts'

export type Dialect = 'v0' | 'v1'

/** A parsed text, or its faults. */
export type Parsed<T> = { readonly ok: T } | { readonly faults: readonly FaultAt[] }

const ROOTS = ['data', 'future', 'input', 'rego']

/** Parses a module. A fault ends its statement; the following ones are still parsed, so that all faults are found. */
export function parseModule(text: string, dialect: Dialect, limits: Limits): Parsed<Module> {
  const comments: Comment[] = []
  const cursor = start(text, limits, comments)
  if (cursor instanceof FaultAt) return { faults: [cursor] }
  if (dialect === 'v1') becomeStrict(cursor)
  const faults: FaultAt[] = []
  const found = (error: unknown, from: number): void => {
    if (!(error instanceof FaultAt)) throw error
    faults.push(error)
    cursor.skipStatement(from)
  }
  let path: Value[] = []
  const { at: packageAt } = cursor.token
  try {
    path = parsePackage(cursor)
  } catch (error) {
    if (error instanceof FaultAt) return { faults: [error] }
    throw error
  }
  const imports: Import[] = []
  const rules: Rule[] = []
  while (!cursor.is('end') && faults.length < MAX_FAULTS) {
    const from = cursor.mark
    try {
      if (cursor.isKeyword('import')) imports.push(parseImport(cursor))
      else rules.push(...parseRules(cursor))
      while (cursor.accept(';'));
    } catch (error) {
      found(error, from)
    }
  }
  if (faults.length > 0) return { faults }
  return { ok: { package: path, packageAt, imports, rules, comments, strict: cursor.strict } }
}

/** Parses a query: a body with the keywords of v1, without its further checks. */
export function parseQuery(text: string, limits: Limits): Parsed<Body> {
  const cursor = start(text, limits)
  if (cursor instanceof FaultAt) return { faults: [cursor] }
  FUTURE_KEYWORDS.forEach((keyword) => cursor.reserve(keyword))
  try {
    return { ok: parseBody(cursor, 'end') }
  } catch (error) {
    if (error instanceof FaultAt) return { faults: [error] }
    throw error
  }
}

function start(text: string, limits: Limits, comments?: Comment[]): Cursor | FaultAt {
  try {
    return new Cursor(tokenize(text, limits.parserDepth, comments), limits, { body: parseBody, literal: parseLiteral })
  } catch (error) {
    if (error instanceof FaultAt) return error
    throw error
  }
}

function becomeStrict(cursor: Cursor): void {
  cursor.strict = true
  FUTURE_KEYWORDS.forEach((keyword) => cursor.reserve(keyword))
}

function parsePackage(cursor: Cursor): Value[] {
  if (cursor.is('end')) cursor.fail('empty module')
  if (!cursor.acceptKeyword('package')) cursor.fail('package expected')
  return parsePath(cursor, 'package')
}

/** A name, then names and strings. */
function parsePath(cursor: Cursor, what: string): Value[] {
  const { token } = cursor
  if (!cursor.isName()) cursor.unexpected(`expected ${what} path`)
  cursor.advance()
  const term = parseReference(cursor, { type: 'var', name: token.text, at: token.at })
  if (term.type === 'var') return [token.text]
  if (term.type !== 'ref' || term.head.type !== 'var') return cursor.fail(`unexpected ${what} path`, token.at)
  const keys = term.path.map((key) =>
    key.type === 'const' && typeof key.value === 'string'
      ? key.value
      : cursor.fail(`unexpected ${what} path, expecting string elements`, key.at),
  )
  return [token.text, ...keys]
}

function parseImport(cursor: Cursor): Import {
  const { at } = cursor.advance()
  const path = parsePath(cursor, 'import')
  const [root] = path
  if (typeof root !== 'string' || !ROOTS.includes(root))
    cursor.fail(
      `unexpected import path, must begin with one of: {${ROOTS.join(', ')}}, got: ${asText(root ?? null).slice(1, -1)}`,
      at,
    )
  let alias: string | undefined
  if (cursor.acceptKeyword('as')) {
    if (!cursor.isName()) cursor.unexpected('expected var')
    alias = cursor.advance().text
  }
  if (root === 'future') importKeywords(cursor, path, alias, at)
  if (root === 'rego') importVersion(cursor, path, alias, at)
  return { at, path, alias }
}

function importKeywords(cursor: Cursor, path: readonly Value[], alias: string | undefined, at: number): void {
  const [, keywords, keyword] = path
  if (keywords !== 'keywords' || path.length > 3) cursor.fail('invalid import, must be `future.keywords`', at)
  if (alias !== undefined) cursor.fail('`future` imports cannot be aliased', at)
  if (keyword === undefined) {
    FUTURE_KEYWORDS.forEach((known) => cursor.reserve(known))
    return
  }
  if (keyword === 'not') {
    cursor.closedNegation = true
    return
  }
  const known = FUTURE_KEYWORDS.find((name) => name === keyword)
  if (known === undefined)
    return cursor.fail(`unexpected keyword, must be one of [${[...FUTURE_KEYWORDS, 'not'].sort().join(' ')}]`, at)
  cursor.reserve(known)
  if (known === 'every') cursor.reserve('in')
}

function importVersion(cursor: Cursor, path: readonly Value[], alias: string | undefined, at: number): void {
  if (path.length !== 2 || path[1] !== 'v1') cursor.fail('invalid import, must be `rego.v1`', at)
  if (alias !== undefined) cursor.fail('`rego` imports cannot be aliased', at)
  becomeStrict(cursor)
}
