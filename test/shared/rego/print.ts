import type { Body, Expression, Literal, Module, Rule, Term } from '../../../shared/rego/ast.ts'
import { text } from '../../../shared/rego/text.ts'
import type { Value } from '../../../shared/rego/value.ts'

/** Prints a module of v1 as text; everything ambiguous is in parentheses. */
export function print(module: Module): string {
  const [root = '', ...rest] = module.package
  const path = `${bare(root)}${rest.map((key) => `[${text(key)}]`).join('')}`
  const imports = module.imports.map(({ path: [first, ...keys], alias }) => {
    const named = `import ${bare(first)}${keys.map((key) => `[${text(key)}]`).join('')}`
    return alias === undefined ? named : `${named} as ${alias}`
  })
  return [`package ${path}`, ...imports, ...module.rules.map((rule) => printRule(rule))].join('\n')
}

const bare = (name: Value = ''): string => (typeof name === 'string' ? name : text(name))

function printRule(rule: Rule): string {
  const name = rule.name.type === 'var' ? rule.name.name : ''
  const path = rule.path.map((key) => `[${printTerm(key)}]`).join('')
  const args = rule.args === undefined ? '' : `(${rule.args.map(printTerm).join(', ')})`
  const value = rule.member === undefined ? ` := ${printTerm(rule.value)}` : ` contains ${printTerm(rule.member)}`
  const head = `${rule.isDefault ? 'default ' : ''}${name}${path}${args}${value}`
  return rule.isDefault ? head : `${head} if ${printBody(rule.body)}${printElse(rule.otherwise)}`
}

const printElse = (rule: Rule | undefined): string =>
  rule === undefined ? '' : ` else := ${printTerm(rule.value)} if ${printBody(rule.body)}${printElse(rule.otherwise)}`

/** An additional first literal prevents the parser from reading the braces as a set or an object. */
const printBody = (body: Body): string => `{ true; ${body.map(printLiteral).join('; ')} }`

function printLiteral({ negated, expression, withs }: Literal): string {
  const after = withs.map(({ target, value }) => ` with ${printTerm(target)} as ${printTerm(value)}`).join('')
  return `${negated ? 'not ' : ''}${printExpression(expression)}${after}`
}

function printExpression(expression: Expression): string {
  switch (expression.type) {
    case 'term':
      return printTerm(expression.term)
    case 'unify':
      return `${printTerm(expression.left)} ${expression.assigns ? ':=' : '='} ${printTerm(expression.right)}`
    case 'some':
      return `some ${expression.names.map(printTerm).join(', ')}`
    case 'some-in':
      return `some ${[expression.key, expression.value].flatMap((term) => (term ? [printTerm(term)] : [])).join(', ')} in ${printTerm(expression.domain)}`
    case 'every':
      return `every ${[expression.key, expression.value].flatMap((term) => (term ? [printTerm(term)] : [])).join(', ')} in ${printTerm(expression.domain)} ${printBody(expression.body)}`
    case 'not':
      return `not ${printBody(expression.body)}`
  }
}

const SIGNS: Record<string, string> = {
  ...{ plus: '+', minus: '-', mul: '*', div: '/', rem: '%', and: '&', or: '|' },
  ...{ equal: '==', neq: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=', 'internal.member_2': 'in' },
}

export function printTerm(term: Term): string {
  switch (term.type) {
    case 'const':
      return typeof term.value === 'string' ? JSON.stringify(term.value) : text(term.value)
    case 'var':
      return term.name.startsWith('$') ? '_' : term.name
    case 'ref':
      return `${printTerm(term.head)}${term.path.map(printKey).join('')}`
    case 'array':
      return `[${term.items.map(printTerm).join(', ')}]`
    case 'set':
      return term.items.length === 0 ? 'set()' : `{${term.items.map(printTerm).join(', ')}}`
    case 'object':
      return `{${term.entries.map(([key, value]) => `${printTerm(key)}: ${printTerm(value)}`).join(', ')}}`
    case 'comprehension':
      return printComprehension(term)
    case 'call':
      return printCall(term)
    case 'template':
      return `$"${term.parts.map((part) => (typeof part === 'string' ? JSON.stringify(part).slice(1, -1).replaceAll('{', '\\{') : printHole(part))).join('')}"`
  }
}

/** A keyword is a name only after a dot, so names keep their dots. */
const printKey = (key: Term): string =>
  key.type === 'const' && typeof key.value === 'string' && /^[a-z]+$/.test(key.value)
    ? `.${key.value}`
    : `[${printTerm(key)}]`

function printCall({ name, args }: Extract<Term, { type: 'call' }>): string {
  const sign = name.type === 'var' ? SIGNS[name.name] : undefined
  const [left, right, last] = args.map(printTerm)
  if (sign !== undefined) return `(${left ?? ''} ${sign} ${right ?? ''})`
  if (name.type === 'var' && name.name === 'internal.member_3')
    return `(${left ?? ''}, ${right ?? ''} in ${last ?? ''})`
  return `${printTerm(name)}(${args.map(printTerm).join(', ')})`
}

function printComprehension({ kind, key, term, body }: Extract<Term, { type: 'comprehension' }>): string {
  const built = `${key ? `${printTerm(key)}: ` : ''}${printTerm(term)} | ${body.map(printLiteral).join('; ')}`
  return kind === 'array' ? `[${built}]` : `{${built}}`
}

function printHole({ body: [literal] }: Extract<Term, { type: 'comprehension' }>): string {
  if (literal?.expression.type !== 'unify') throw new TypeError('no hole')
  return `{${printLiteral({ ...literal, expression: { type: 'term', term: literal.expression.right } })}}`
}
