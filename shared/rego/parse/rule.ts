import type { Body, Literal, Rule, Term } from '../ast.ts'
import { plain } from '../ast.ts'
import { parseBracedBody, parseLiteralOrBody } from './body.ts'
import type { Cursor } from './cursor.ts'
import { parseReference, parseTerm, parseTermOrPair } from './term.ts'

const truth = (at: number): Term => ({ type: 'const', value: true, at })

interface Head {
  readonly at: number
  readonly name: Term
  readonly path: readonly Term[]
  readonly args: readonly Term[] | undefined
}

/** One statement other than an import: a default, or a rule with all its bodies. @throws FaultAt */
export function parseRules(cursor: Cursor): Rule[] {
  const { at } = cursor.token
  cursor.countRule()
  if (cursor.acceptKeyword('default')) return [parseDefault(cursor, at)]
  const head = parseHead(cursor)
  const contains = cursor.acceptKeyword('contains')
  if (contains && head.args !== undefined)
    cursor.fail(
      'the contains keyword can only be used with multi-value rule definitions (e.g., p contains <VALUE> { ... })',
      at,
    )
  const member = contains ? parseTerm(cursor) : undefined
  const value = member === undefined && (cursor.accept(':=') || cursor.accept('=')) ? parseValue(cursor) : undefined
  const conditional = cursor.isKeyword('if')
  const body = parseRuleBody(cursor, head.args === undefined ? 'rule' : 'function')
  if (member === undefined && value === undefined && body === undefined) checkFact(cursor, head)
  // Without `if`, `p[x] { }` collects a set, as in v0. Longer heads were never sets.
  const oldSet = !conditional && !contains && value === undefined && head.args === undefined && head.path.length === 1
  if (oldSet && cursor.strict) cursor.fail('`contains` keyword is required for partial set rules', at)
  const rule: Rule = {
    at,
    isDefault: false,
    name: head.name,
    path: oldSet ? [] : head.path,
    args: head.args,
    member: oldSet ? head.path[0] : member,
    value: value ?? truth(at),
    body: body ?? [succeeds(at)],
    otherwise: parseElse(cursor, head, contains || oldSet),
  }
  return [rule, ...parseMoreBodies(cursor, rule)]
}

const succeeds = (at: number): Literal => plain({ type: 'term', term: truth(at) }, at)

/** A rule that consists only of its name: in v0 these are members of sets and functions. */
function checkFact(cursor: Cursor, { at, name, path, args }: Head): void {
  const shown = name.type === 'var' ? name.name : 'rule'
  if (path.length === 0 && args === undefined)
    cursor.fail(`var ${shown} cannot be used for rule name${cursor.futureHint}`, at)
  if (cursor.strict && path.length > 1 && args === undefined)
    cursor.fail(`${shown} must have value assignment and/or body declaration`, at)
}

/** The value of a rule. If no body follows, it may contain a pair: `r := 1, "x" in {1: "x"}`. */
function parseValue(cursor: Cursor): Term {
  const { mark } = cursor
  const term = parseTerm(cursor)
  if (!cursor.is(',')) return term
  cursor.reset(mark)
  const pair = parseTermOrPair(cursor)
  if (cursor.isKeyword('if') || cursor.is('{') || cursor.isKeyword('else')) cursor.unexpected()
  return pair
}

function parseHead(cursor: Cursor): Head {
  const { token } = cursor
  if (!cursor.isName()) return cursor.unexpected()
  cursor.advance()
  const term = parseReference(cursor, { type: 'var', name: token.text, at: token.at })
  if (term.type === 'var') return { at: token.at, name: term, path: [], args: undefined }
  if (term.type === 'ref') {
    if (term.head.type !== 'var') return cursor.fail('unexpected call in rule head', token.at)
    return { at: token.at, name: term.head, path: term.path, args: undefined }
  }
  if (term.type !== 'call') return cursor.unexpected()
  const { name, args } = term
  return name.type === 'var'
    ? { at: token.at, name, path: [], args }
    : { at: token.at, name: name.head, path: name.path, args }
}

function parseRuleBody(cursor: Cursor, what: 'rule' | 'function' | 'else'): Body | undefined {
  // The first body may be a term in braces. Braces after `else` are a body, so `{a | b}` is not a comprehension there.
  if (cursor.acceptKeyword('if'))
    return what === 'else' && cursor.is('{') ? parseBracedBody(cursor) : parseLiteralOrBody(cursor).body
  if (!cursor.is('{')) return undefined
  if (cursor.strict) cursor.fail(`\`if\` keyword is required before ${what === 'function' ? 'function' : 'rule'} body`)
  return parseBracedBody(cursor)
}

function parseElse(cursor: Cursor, head: Head, collects: boolean): Rule | undefined {
  const branches: { at: number; value: Term; body: Body }[] = []
  while (cursor.isKeyword('else')) {
    const { at } = cursor.token
    cursor.countRule()
    if (collects) cursor.fail('else keyword cannot be used on multi-value rules')
    if (head.path.some((key) => key.type !== 'const'))
      cursor.fail('else keyword cannot be used on rules with variables in head')
    cursor.advance()
    const value = cursor.accept(':=') || cursor.accept('=') ? parseTerm(cursor) : undefined
    const body = parseRuleBody(cursor, 'else')
    if (value === undefined && body === undefined) cursor.unexpected('expected else value term or rule body')
    branches.push({ at, value: value ?? truth(at), body: body ?? [succeeds(at)] })
  }
  return branches.reduceRight<Rule | undefined>(
    (otherwise, branch) => ({ ...head, ...branch, isDefault: false, member: undefined, otherwise }),
    undefined,
  )
}

/** `p { a } { b }` is two rules with one head, and so is `p if { a } { b }`. */
function parseMoreBodies(cursor: Cursor, first: Rule): Rule[] {
  const rules: Rule[] = []
  while (cursor.is('{')) {
    const { at } = cursor.token
    cursor.countRule()
    if (first.otherwise !== undefined) cursor.fail('expected else keyword')
    rules.push({ ...first, at, body: parseBracedBody(cursor) })
  }
  return rules
}

function parseDefault(cursor: Cursor, at: number): Rule {
  const head = parseHead(cursor)
  if (head.path.some((key) => key.type !== 'const'))
    cursor.fail('illegal default rule (name cannot contain variables)', at)
  if (!cursor.accept(':=') && !cursor.accept('=')) cursor.unexpected('default rules must have a value')
  const value = parseTerm(cursor)
  if (cursor.isKeyword('if') || cursor.touches('{') || cursor.isKeyword('else'))
    cursor.fail('illegal default rule (cannot have a body)')
  const offending = notConstant(value)
  if (offending !== undefined) cursor.fail(`illegal default rule (value cannot contain ${offending})`, value.at)
  checkDefaultArguments(cursor, head.args ?? [])
  return { ...head, at, isDefault: true, member: undefined, value, body: [succeeds(at)], otherwise: undefined }
}

function checkDefaultArguments(cursor: Cursor, args: readonly Term[]): void {
  const names = new Set<string>()
  for (const arg of args) {
    if (arg.type !== 'var') cursor.fail(`illegal default rule (arguments cannot contain ${kindOf(arg)})`, arg.at)
    else if (names.has(arg.name)) cursor.fail(`illegal default rule (arguments cannot be repeated ${arg.name})`, arg.at)
    else names.add(arg.name)
  }
}

function kindOf(term: Term): string {
  if (term.type !== 'const') return term.type
  const { value } = term
  if (value === null) return 'null'
  return typeof value === 'object' || typeof value === 'bigint' ? 'number' : typeof value
}

/** The part of a default's value that is not allowed outside of comprehensions, if any. */
function notConstant(term: Term): string | undefined {
  const first = (terms: readonly Term[]): string | undefined => {
    for (const inner of terms) {
      const found = notConstant(inner)
      if (found !== undefined) return found
    }
    return undefined
  }
  switch (term.type) {
    case 'var':
    case 'ref':
    case 'call':
      return term.type
    case 'array':
    case 'set':
      return first(term.items)
    case 'object':
      return first(term.entries.flat())
    default:
      return undefined
  }
}
