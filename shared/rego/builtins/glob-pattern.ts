/** The syntax tree of a glob. A sequence contains its parts in order; `any` stops at delimiters, `super` does not. */
export type GlobPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'any' | 'super' | 'single' }
  | { readonly kind: 'oneOf'; readonly negated: boolean; readonly has: (character: string) => boolean }
  | { readonly kind: 'alternatives'; readonly sequences: readonly (readonly GlobPart[])[] }

/** A pattern that does not parse; the message contains the reason. */
export class GlobSyntaxError extends Error {
  override readonly name = 'GlobSyntaxError'
}

/**
 * Parses a pattern: `*`, `**`, `?`, `[abc]`, `[a-z]`, `[!a-z]`, `{x,y}` (nesting), `\` before a literal character. A
 * list contains either one range or plain characters, as in the reference; unclosed alternatives end with the pattern.
 * @throws GlobSyntaxError
 */
export function parseGlob(pattern: string): readonly GlobPart[] {
  return new GlobReader(Array.from(pattern)).sequence(0)
}

/** Deeper nesting of alternatives than this is refused, because the parser is recursive. */
const MAX_NESTING = 100

class GlobReader {
  private at = 0
  private readonly characters: readonly string[]

  constructor(characters: readonly string[]) {
    this.characters = characters
  }

  /** Parses up to the end, or inside alternatives up to the closing comma or brace, which is not consumed. */
  sequence(nesting: number): GlobPart[] {
    if (nesting > MAX_NESTING) throw new GlobSyntaxError('alternatives nested too deeply')
    const parts: GlobPart[] = []
    for (;;) {
      const character = this.characters[this.at]
      if (character === undefined || (nesting > 0 && (character === ',' || character === '}'))) return parts
      parts.push(this.part(character, nesting))
    }
  }

  private part(character: string, nesting: number): GlobPart {
    if (!'?*[{'.includes(character)) return { kind: 'text', text: this.text(nesting > 0 ? '?*[{,}' : '?*[{') }
    this.at += 1
    if (character === '?') return { kind: 'single' }
    if (character === '[') return this.list()
    if (character === '{') return this.alternatives(nesting)
    if (this.characters[this.at] !== '*') return { kind: 'any' }
    this.at += 1
    return { kind: 'super' }
  }

  /** Characters up to one of `ends`; a backslash makes the next one literal. */
  private text(ends: string): string {
    let text = ''
    for (; ; this.at += 1) {
      const character = this.characters[this.at]
      if (character === undefined || ends.includes(character)) return text
      if (character !== '\\') text += character
      else {
        this.at += 1
        text += this.characters[this.at] ?? ''
      }
    }
  }

  private alternatives(nesting: number): GlobPart {
    const sequences: GlobPart[][] = []
    do {
      sequences.push(this.sequence(nesting + 1))
      this.at += 1
    } while (this.characters[this.at - 1] === ',')
    return { kind: 'alternatives', sequences }
  }

  private list(): GlobPart {
    const negated = this.characters[this.at] === '!'
    if (negated) this.at += 1
    const low = this.characters[this.at]
    if (low !== undefined && this.characters[this.at + 1] === '-') {
      const high = this.characters[this.at + 2]
      if (high === undefined || this.characters[this.at + 3] !== ']')
        throw new GlobSyntaxError('expected close range character')
      if (ordinal(high) < ordinal(low))
        throw new GlobSyntaxError(`hi character '${high}' should be greater than lo '${low}'`)
      this.at += 4
      return { kind: 'oneOf', negated, has: (one) => ordinal(one) >= ordinal(low) && ordinal(one) <= ordinal(high) }
    }
    const members = new Set(this.text(']'))
    if (this.characters[this.at] !== ']') throw new GlobSyntaxError('unexpected end of input')
    if (members.size === 0) throw new GlobSyntaxError('could not parse range')
    this.at += 1
    return { kind: 'oneOf', negated, has: (one) => members.has(one) }
  }
}

const ordinal = (character: string): number => character.codePointAt(0) ?? 0
