import { formatFlags, parseNumber, TOO_LARGE } from './go-directive.ts'
import type { Flags } from './go-directive.ts'
import { show, typeName } from './go-verbs.ts'
import type { FormatArgument } from './go-verbs.ts'

/**
 * `sprintf` like Go's fmt: verbs `%v %s %d %f …`, flags, width, precision, `[n]` indexes, `*`. It never fails: errors
 * appear in the text, as in `%!d(string=x)`, `%!d(MISSING)`, `%!(EXTRA string=x)`, `%!(BADWIDTH)`, `%!(NOVERB)`.
 * @param grow called with the length of each piece before it is built, so that it can refuse: a width may request a
 * million characters
 */
export function formatText(format: string, args: readonly FormatArgument[], grow: (length: number) => void): string {
  return new Formatting(Array.from(format), args, grow).run()
}

class Formatting {
  private text = ''
  private at = 0
  private next = 0
  private reordered = false
  private goodIndex = true
  private afterIndex = false
  private readonly format: readonly string[]
  private readonly args: readonly FormatArgument[]
  private readonly grow: (length: number) => void

  constructor(format: readonly string[], args: readonly FormatArgument[], grow: (length: number) => void) {
    this.format = format
    this.args = args
    this.grow = grow
  }

  run(): string {
    while (this.at < this.format.length) {
      this.literal()
      if (this.at >= this.format.length) break
      this.at += 1
      if (!this.directive()) break
    }
    if (!this.reordered && this.next < this.args.length) this.extra()
    return this.text
  }

  private write(piece: string): void {
    this.grow(piece.length)
    this.text += piece
  }

  private literal(): void {
    const end = this.format.indexOf('%', this.at)
    this.write(this.format.slice(this.at, end < 0 ? undefined : end).join(''))
    this.at = end < 0 ? this.format.length : end
  }

  private extra(): void {
    const shown = this.args
      .slice(this.next)
      .map((argument) => `${typeName(argument)}=${show(argument, 'v', formatFlags(), this.grow)}`)
    this.write(`%!(EXTRA ${shown.join(', ')})`)
  }

  /** @returns false if the format ended before its verb */
  private directive(): boolean {
    this.goodIndex = true
    const flags = this.flags()
    this.argumentIndex()
    this.width(flags)
    if (this.format[this.at] === '.') this.precision(flags)
    if (!this.afterIndex) this.argumentIndex()
    const verb = this.format[this.at]
    if (verb === undefined) {
      this.write('%!(NOVERB)')
      return false
    }
    this.at += 1
    if (verb === '%') this.write('%')
    else this.argument(verb, flags)
    return true
  }

  private argument(verb: string, flags: Flags): void {
    const argument = this.args[this.next]
    if (!this.goodIndex) this.write(`%!${verb}(BADINDEX)`)
    else if (argument === undefined) this.write(`%!${verb}(MISSING)`)
    else {
      this.next += 1
      this.write(show(argument, verb, flags, this.grow))
    }
  }

  private flags(): Flags {
    const flags = formatFlags()
    for (; ; this.at += 1) {
      const flag = this.format[this.at]
      if (flag === '#') flags.sharp = true
      else if (flag === '0') flags.zero = true
      else if (flag === '+') flags.plus = true
      else if (flag === '-') flags.minus = true
      else if (flag === ' ') flags.space = true
      else return flags
    }
  }

  private width(flags: Flags): void {
    if (this.format[this.at] === '*') {
      this.at += 1
      const width = this.starred()
      if (width === undefined) this.write('%!(BADWIDTH)')
      else {
        flags.width = Math.abs(width)
        if (width < 0) flags.minus = true
        if (width < 0) flags.zero = false
      }
      this.afterIndex = false
    } else {
      const { value, end } = parseNumber(this.format, this.at)
      this.at = end
      flags.width = value
      if (this.afterIndex && value !== undefined) this.goodIndex = false // "%[3]2d"
    }
  }

  private precision(flags: Flags): void {
    this.at += 1
    if (this.afterIndex) this.goodIndex = false // "%[3].2d"
    this.argumentIndex()
    if (this.format[this.at] === '*') {
      this.at += 1
      const precision = this.starred()
      if (precision === undefined) this.write('%!(BADPREC)')
      else if (precision >= 0) flags.precision = precision
      this.afterIndex = false
    } else {
      const { value, end } = parseNumber(this.format, this.at)
      this.at = end
      flags.precision = value ?? 0
    }
  }

  /** A width or precision from the arguments: undefined unless it is a small integer. */
  private starred(): number | undefined {
    const argument = this.args[this.next]
    if (argument === undefined) return undefined
    this.next += 1
    if (argument.type !== 'int' || argument.value > TOO_LARGE || argument.value < -TOO_LARGE) return undefined
    return Number(argument.value)
  }

  /** `[n]`: index of the next argument, counted from 1. */
  private argumentIndex(): void {
    this.afterIndex = false
    if (this.format[this.at] !== '[') return
    this.reordered = true
    const close = this.format.indexOf(']', this.at)
    if (close < 0) {
      this.goodIndex = false
      this.at += 1
      return
    }
    const { value, end } = parseNumber(this.format, this.at + 1)
    this.at = close + 1
    if (value === undefined || end !== close) {
      this.goodIndex = false
      return
    }
    this.afterIndex = true
    if (value >= 1 && value <= this.args.length) this.next = value - 1
    else this.goodIndex = false
  }
}
