import { invalid } from './errors.ts'

type Accepts = (of: object) => boolean

type Token =
  | { readonly kind: 'word' | 'text'; readonly text: string }
  | { readonly kind: 'operator'; readonly text: string }
  | { readonly kind: 'bracket'; readonly text: string }

/** A quoted text, an operator, a bracket, or a word. */
const TOKEN = /\s*(?:"((?:[^"\\]|\\.)*)"|(>=|<=|!=|=~|!~|[=<>:])|([()])|([^\s()=<>!:"]+))/y

function tokensOf(filter: string): Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  while (filter.slice(TOKEN.lastIndex).trim() !== '') {
    const at = TOKEN.lastIndex
    const found = TOKEN.exec(filter)
    if (found === null) throw invalid(`Unparseable filter: syntax error at column ${at + 1}.`)
    const [, quoted, operator, bracket, word] = found
    if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted.replaceAll(/\\(.)/g, '$1') })
    else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator })
    else if (bracket !== undefined) tokens.push({ kind: 'bracket', text: bracket })
    else tokens.push({ kind: 'word', text: word ?? '' })
  }
  return tokens
}

const broken = (token: Token | undefined) =>
  invalid(`Unparseable filter: unexpected ${token === undefined ? 'end' : `'${token.text}'`}.`)

/**
 * Compiles a filter: comparisons of fields (dotted paths) with values, joined by AND (which may be omitted), OR and
 * NOT, in brackets. OR binds closer than AND, as in the cloud's logging query language.
 * @throws ApiError INVALID_ARGUMENT for a syntax error, and for a text without a field, which is not supported
 */
export function parseFilter(filter: string): Accepts {
  const tokens = tokensOf(filter)
  let at = 0
  const peek = () => tokens[at]
  const isWord = (text: string) => peek()?.kind === 'word' && peek()?.text === text
  const isBracket = (text: string) => peek()?.kind === 'bracket' && peek()?.text === text

  const all = (): Accepts => {
    const parts = [some()]
    while (peek() !== undefined && !isBracket(')')) {
      if (isWord('AND')) at++
      parts.push(some())
    }
    return (of) => parts.every((accepts) => accepts(of))
  }
  const some = (): Accepts => {
    const parts = [one()]
    while (isWord('OR')) {
      at++
      parts.push(one())
    }
    return (of) => parts.some((accepts) => accepts(of))
  }
  const one = (): Accepts => {
    if (isWord('NOT')) {
      at++
      const accepts = one()
      return (of) => !accepts(of)
    }
    if (!isBracket('(')) return comparison()
    at++
    const inner = all()
    if (!isBracket(')')) throw broken(peek())
    at++
    return inner
  }
  const comparison = (): Accepts => {
    const [field, operator, value] = [tokens[at], tokens[at + 1], tokens[at + 2]]
    if (field?.kind !== 'word') throw broken(field)
    if (operator?.kind !== 'operator') throw broken(operator)
    if (value?.kind !== 'word' && value?.kind !== 'text') throw broken(value)
    at += 3
    const compare = comparing(operator.text, value.text)
    const path = field.text.split('.')
    return (of) => compare(memberAt(of, path))
  }

  if (tokens.length === 0) return () => true
  const accepts = all()
  if (peek() !== undefined) throw broken(peek())
  return accepts
}

/** A member by its path. Quoted names with dots are not supported. */
const memberAt = (of: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    of,
  )

const TIME = /^\d{4}-\d\d-\d\dT/

/** Compares times by time, numbers by size, anything else as texts. */
function order(a: string, b: string): number {
  if (TIME.test(a) && TIME.test(b)) return Date.parse(a) - Date.parse(b)
  if (a !== '' && b !== '' && !Number.isNaN(Number(a)) && !Number.isNaN(Number(b))) return Number(a) - Number(b)
  return a < b ? -1 : a > b ? 1 : 0
}

function comparing(operator: string, wanted: string): (found: unknown) => boolean {
  const text = (found: unknown): string | undefined =>
    typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? String(found) : undefined
  const by = (holds: (sign: number) => boolean) => (found: unknown) => {
    const value = text(found)
    return value !== undefined && holds(order(value, wanted))
  }
  switch (operator) {
    case '=':
      return by((sign) => sign === 0)
    case '!=':
      return (found) => !by((sign) => sign === 0)(found)
    case '<':
      return by((sign) => sign < 0)
    case '<=':
      return by((sign) => sign <= 0)
    case '>':
      return by((sign) => sign > 0)
    case '>=':
      return by((sign) => sign >= 0)
    case ':':
      return (found) =>
        text(found)?.toLowerCase().includes(wanted.toLowerCase()) ?? (wanted === '*' && found !== undefined)
    default:
      throw invalid(`Unparseable filter: the operator ${operator} is not simulated.`)
  }
}
