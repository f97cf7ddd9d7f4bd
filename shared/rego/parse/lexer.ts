import { FaultAt } from '../errors.ts'
import { parseNumber } from '../number.ts'
import type { Num } from '../number.ts'
import { charge } from '../work.ts'

/** `word` is any name or keyword: which words are keywords depends on the dialect and the imports. */
export type TokenKind = 'word' | 'string' | 'number' | 'template' | 'end' | Punctuation

const PUNCTUATION = [
  ...[':=', '==', '!=', '<=', '>='],
  ...['=', '<', '>', '{', '}', '[', ']', '(', ')', ',', ';', ':', '.', '|', '&', '+', '-', '*', '/', '%'],
] as const
export type Punctuation = (typeof PUNCTUATION)[number]

export interface Token {
  readonly kind: TokenKind
  /** a word or punctuation as written, the content of a string */
  readonly text: string
  readonly at: number
  readonly end: number
  /** whether a line break precedes this token */
  readonly newLine: boolean
  /** whether it is the first token on its line */
  readonly firstColumn: boolean
  readonly number?: Num
  /** for a template: text and the tokens of its holes, in turn; each hole ends with an `end` token */
  readonly parts?: readonly (string | readonly Token[])[]
}

/** @throws FaultAt rego_parse_error */
function fail(message: string, at: number): never {
  throw new FaultAt('rego_parse_error', message, at)
}

const TWO_CHARACTERS: ReadonlySet<string> = new Set(PUNCTUATION.filter((mark) => mark.length === 2))
const ONE_CHARACTER: ReadonlySet<string> = new Set(PUNCTUATION.filter((mark) => mark.length === 1))
const isPunctuation = (text: string): text is Punctuation => TWO_CHARACTERS.has(text) || ONE_CHARACTER.has(text)

const MARK = '\ufeff'
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d*)?/y
const STRING = /"((?:[^"\\\n]|\\.)*)("?)/y
const CONTROL = /[\u0000-\u001f]/
const SIMPLE_ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** A comment: the position of its `#`, and the rest of its line. */
export interface Comment {
  readonly at: number
  readonly text: string
}

/**
 * Splits a text into tokens; the last one is `end`.
 * @param comments receives the comments of the text, in order
 * @throws FaultAt for the first invalid token
 */
export function tokenize(text: string, depthLimit: number, comments: Comment[] = []): Token[] {
  return new Lexer(text, depthLimit, comments).all()
}

class Lexer {
  readonly #text: string
  readonly #depthLimit: number
  readonly #comments: Comment[]
  #at: number
  #newLine = false

  constructor(text: string, depthLimit: number, comments: Comment[]) {
    this.#text = text
    this.#depthLimit = depthLimit
    this.#comments = comments
    this.#at = text.startsWith(MARK) ? 1 : 0
    if (text.includes('\0')) fail('illegal null character', text.indexOf('\0'))
    if (text.includes(MARK, 1)) fail('illegal byte-order mark', text.indexOf(MARK, 1))
  }

  all(): Token[] {
    const tokens: Token[] = []
    for (;;) {
      const token = this.#next(0)
      tokens.push(token)
      if (token.kind === 'end') return tokens
    }
  }

  #blanks(): void {
    this.#newLine = false
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text.charAt(this.#at)
      if (character === '#') {
        const end = this.#text.indexOf('\n', this.#at)
        const stop = end < 0 ? this.#text.length : end
        this.#comments.push({ at: this.#at, text: this.#text.slice(this.#at + 1, stop) })
        this.#at = stop
        this.#newLine = true
      } else if (character === '\n') this.#newLine = true
      else if (character !== ' ' && character !== '\t' && character !== '\r') return
    }
  }

  #token(kind: TokenKind, at: number, text: string, more: Partial<Token> = {}): Token {
    return {
      kind,
      text,
      at,
      end: this.#at,
      newLine: this.#newLine,
      firstColumn: this.#text.charCodeAt(at - 1) === 10,
      ...more,
    }
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#text)
  }

  #next(depth: number): Token {
    charge()
    this.#blanks()
    const at = this.#at
    const character = this.#text.charAt(at)
    if (character === '') return this.#token('end', at, '')
    const word = this.#match(WORD)
    if (word !== null) return this.#take('word', word[0])
    if (/[0-9]/.test(character) || (character === '.' && /[0-9]/.test(this.#text.charAt(at + 1)))) return this.#number()
    if (character === '"') return this.#string()
    if (character === '`') return this.#rawString()
    if (character === '$') return this.#template(depth)
    const two = this.#text.slice(at, at + 2)
    if (isPunctuation(two)) return this.#take(two, two)
    if (isPunctuation(character)) return this.#take(character, character)
    return fail(`illegal ${String.fromCodePoint(this.#text.codePointAt(at) ?? 0)} character`, at)
  }

  #take(kind: TokenKind, text: string): Token {
    const at = this.#at
    this.#at += text.length
    return this.#token(kind, at, text)
  }

  /** Numbers of JSON, and numbers with a leading point. */
  #number(): Token {
    const at = this.#at
    const text = this.#match(NUMBER)?.[0] ?? ''
    this.#at += text.length
    if (/^0\d/.test(text)) fail('expected number without leading zero', at)
    if (/\.(?!\d)/.test(text)) fail('expected fraction', at)
    if (/[eE][-+]?$/.test(text)) fail('expected exponent', at)
    if (/[A-Za-z_]/.test(this.#text.charAt(this.#at))) fail('illegal number format', at)
    charge(text.length >> 4)
    const number = parseNumber(text)
    if (number === undefined) return fail('number too big', at)
    return this.#token('number', at, text, { number })
  }

  #string(): Token {
    const at = this.#at
    const found = this.#match(STRING)
    if (found === null || found[2] !== '"') return fail('non-terminated string', at)
    this.#at += found[0].length
    return this.#token('string', at, unescape(found[1] ?? '', at, false))
  }

  #rawString(): Token {
    const at = this.#at
    const end = this.#text.indexOf('`', at + 1)
    if (end < 0) fail('non-terminated string', at)
    this.#at = end + 1
    return this.#token('string', at, this.#text.slice(at + 1, end))
  }

  /** `$"text {hole} text"`: a hole is lexed like any other text, up to its closing brace. */
  #template(depth: number): Token {
    const at = this.#at
    const newLine = this.#newLine
    const quote = this.#text.charAt(at + 1)
    if (quote !== '"' && quote !== '`') fail('illegal $ character', at)
    if (depth >= this.#depthLimit) throw new FaultAt('rego_compile_error', 'expression is nested too deep', at)
    this.#at += 2
    const parts: (string | Token[])[] = []
    for (;;) {
      parts.push(this.#templateText(quote, at))
      if (this.#text.charAt(this.#at++) === quote) break
      parts.push(this.#hole(depth + 1))
    }
    return { ...this.#token('template', at, '', { parts }), newLine }
  }

  /** Text up to the closing quote or opening brace, without either. */
  #templateText(quote: string, opened: number): string {
    const start = this.#at
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text.charAt(this.#at)
      if (character === '{' || character === quote) {
        const raw = this.#text.slice(start, this.#at)
        return quote === '`' ? raw.replaceAll('\\{', '{') : unescape(raw, start, true)
      }
      if (character === '\n' && quote === '"') break
      if (character === '\\' && (quote === '"' || this.#text.charAt(this.#at + 1) === '{')) this.#at++
    }
    return fail('non-terminated string', opened)
  }

  #hole(depth: number): Token[] {
    const tokens: Token[] = []
    let open = 0
    for (;;) {
      const token = this.#next(depth)
      if (token.kind === 'end') fail('non-terminated string', token.at)
      if (token.kind === '{') open++
      if (token.kind === '}' && open-- === 0) {
        tokens.push({ kind: 'end', text: '', at: token.at, end: token.at, newLine: token.newLine, firstColumn: false })
        return tokens
      }
      tokens.push(token)
    }
  }
}

/** JSON's escapes, and `\{` in templates. A lone surrogate becomes U+FFFD. */
function unescape(raw: string, at: number, template: boolean): string {
  // Control characters are refused as in JSON; a line break cannot occur here.
  if (CONTROL.test(raw)) fail('illegal control character in string', at)
  if (!raw.includes('\\')) return raw.toWellFormed()
  const text = raw.replace(/\\(u[0-9a-fA-F]{4}|[^])/g, (whole, escaped: string) => {
    if (escaped.length === 5) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    if (template && escaped === '{') return '{'
    return SIMPLE_ESCAPES[escaped] ?? fail(`illegal escape ${whole} in string`, at)
  })
  return text.toWellFormed()
}
