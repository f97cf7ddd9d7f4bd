import { logRefusal, type ApiError } from '../wire/errors.ts'

/** A token of the query language. */
export interface Token {
  readonly kind: 'name' | 'text' | 'number' | 'sign' | 'end'
  readonly text: string
  /** place in the query */
  readonly at: number
}

/**
 * A text in either kind of quotes, a number with or without a unit, a name (some operators are names with a tilde), or
 * a sign.
 */
const TOKEN =
  /\s*(?:\/\/[^\n]*\n\s*)*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(\d+(?:\.\d+)?[a-z]*)|(!?[A-Za-z_]\w*~?)|(==|=~|!=|!~|>=|<=|[<>=|(),]))/y

/** @throws ApiError BadArgumentError */
export function tokensOf(query: string): readonly Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  while (query.slice(TOKEN.lastIndex).trim() !== '') {
    const from = TOKEN.lastIndex
    const time = timeAt(query, from, tokens)
    if (time !== undefined) {
      tokens.push(time)
      TOKEN.lastIndex = query.indexOf(')', from)
      continue
    }
    const found = TOKEN.exec(query)
    if (found === null) throw syntaxError(query, from, query.slice(from).trim().slice(0, 10))
    const [, double, single, number, name, sign]: readonly (string | undefined)[] = found
    const at = TOKEN.lastIndex - (double ?? single ?? number ?? name ?? sign ?? '').length
    const quoted = double ?? single
    if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted.replaceAll(/\\(.)/g, '$1'), at })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, at })
    else if (name !== undefined) tokens.push({ kind: 'name', text: name, at })
    else tokens.push({ kind: 'sign', text: sign ?? '', at })
  }
  return [...tokens, { kind: 'end', text: '', at: query.length }]
}

/** A time is one literal: everything in the brackets of `datetime`. */
function timeAt(query: string, at: number, tokens: readonly Token[]): Token | undefined {
  const [name, bracket] = tokens.slice(-2)
  const isTime = bracket?.text === '(' && bracket.kind === 'sign' && name?.kind === 'name' && name.text === 'datetime'
  const end = isTime ? query.indexOf(')', at) : -1
  if (end < 0) return undefined
  return {
    kind: 'text',
    text: query
      .slice(at, end)
      .trim()
      .replace(/^(["'])(.*)\1$/, '$2'),
    at,
  }
}

const INVALID = 'The request had some invalid properties'

export function syntaxError(query: string, at: number, token: string): ApiError {
  const lines = query.slice(0, at).split('\n')
  const [line, pos] = [lines.length, lines.at(-1)?.length ?? 0]
  const message = `Query could not be parsed at '${token}' on line [${line},${pos}]`
  return logRefusal(400, 'BadArgumentError', INVALID, {
    code: 'SyntaxError',
    message: 'A recognition error occurred in the query.',
    innererror: { code: 'SYN0002', message, ...{ line, pos, token } },
  })
}

export const semanticError = (message: string, code = 'SEM0100'): ApiError =>
  logRefusal(400, 'BadArgumentError', INVALID, {
    code: 'SemanticError',
    message: 'A semantic error occurred.',
    innererror: { code, message },
  })
