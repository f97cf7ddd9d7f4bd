import { formatFlags } from './go-directive.ts'
import type { Flags } from './go-directive.ts'
import { formatFloat } from './go-float.ts'
import type { FloatVerb } from './go-float.ts'
import { fitsBackquotes, isPrintable, quoted, runeText } from './go-quote.ts'

/** The argument types of `sprintf`. `int` is any integer; beyond 64 bits, Go has another type with its own rules. */
export type FormatArgument =
  | { readonly type: 'int'; readonly value: bigint }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }

type Grow = (length: number) => void

const isBig = (value: bigint): boolean => BigInt.asIntN(64, value) !== value

/** Go's type name in `%!d(string=x)`, `%!(EXTRA int=1)` and `%T`. */
export const typeName = (argument: FormatArgument): string =>
  argument.type === 'float' ? 'float64' : argument.type === 'int' && isBig(argument.value) ? '*big.Int' : argument.type

/** One argument formatted with one verb. @param grow called with lengths before they are built */
export function show(argument: FormatArgument, verb: string, flags: Flags, grow: Grow): string {
  grow((flags.width ?? 0) + (flags.precision ?? 0))
  // Charged per character, because each may become an escape.
  if (argument.type === 'string' && 'qxXv'.includes(verb) && (verb !== 'v' || flags.sharp))
    grow(argument.value.length * 6)
  if (verb === 'T') return text(typeName(argument), 's', flags)
  const shown = verbs(argument, verb, flags)
  if (shown !== undefined) return shown
  const name = typeName(argument)
  // For big integers Go's error omits the pointer of their type, and prints the number plainly.
  if (name === '*big.Int') return `%!${verb}(big.Int=${text(String(argument.value), 's', formatFlags())})`
  return `%!${verb}(${name}=${verbs(argument, 'v', flags) ?? ''})`
}

function verbs(argument: FormatArgument, verb: string, flags: Flags): string | undefined {
  switch (argument.type) {
    case 'int':
      return isBig(argument.value) ? bigInteger(argument.value, verb, flags) : integer(argument.value, verb, flags)
    case 'float':
      return float(argument.value, verb, flags)
    case 'string':
      return 'vsqxX'.includes(verb) ? text(argument.value, verb, flags) : undefined
  }
}

const padding = (length: number, flags: Flags): string =>
  (flags.zero && !flags.minus ? '0' : ' ').repeat(Math.max((flags.width ?? 0) - length, 0))

/** Widths count characters, not UTF-16 units. */
function padded(shown: string, flags: Flags, zero = flags.zero): string {
  if (flags.width === undefined) return shown
  const fill = padding(Array.from(shown).length, { ...flags, zero })
  return flags.minus ? shown + fill : fill + shown
}

const BASES: ReadonlyMap<string, { base: number; prefix: string }> = new Map([
  ['v', { base: 10, prefix: '' }],
  ['d', { base: 10, prefix: '' }],
  ['b', { base: 2, prefix: '0b' }],
  ['o', { base: 8, prefix: '0' }],
  ['O', { base: 8, prefix: '0' }],
  ['x', { base: 16, prefix: '0x' }],
  ['X', { base: 16, prefix: '0X' }],
])

const inBase = (value: bigint, base: number, verb: string): string => {
  const digits = (value < 0n ? -value : value).toString(base)
  return verb === 'X' ? digits.toUpperCase() : digits
}

const signOf = (negative: boolean, flags: Flags): string => (negative ? '-' : flags.plus ? '+' : flags.space ? ' ' : '')

function integer(value: bigint, verb: string, flags: Flags): string | undefined {
  if (verb === 'c') return padded(runeText(value), flags)
  if (verb === 'q') return padded(quoted(runeText(value), "'", flags.plus), flags)
  if (verb === 'U') return codePoint(value, flags)
  const row = BASES.get(verb)
  if (row === undefined) return undefined
  if (flags.precision === 0 && value === 0n) return padded('', flags, false)
  const sign = signOf(value < 0n, flags)
  let least = flags.precision ?? 0
  // "%05d" requires as many digits as "%.5d", including the sign.
  if (flags.precision === undefined && flags.zero && !flags.minus && flags.width !== undefined)
    least = flags.width - sign.length
  const digits = inBase(value, row.base, verb).padStart(least, '0')
  const prefix = flags.sharp && !(row.base === 8 && digits.startsWith('0')) ? row.prefix : ''
  return padded(sign + (verb === 'O' ? '0o' : '') + prefix + digits, flags, false)
}

/** Integers beyond 64 bits: `%s` is allowed, zeros are put between prefix and digits and do not count as digits. */
function bigInteger(value: bigint, verb: string, flags: Flags): string | undefined {
  const row = BASES.get(verb === 's' ? 'd' : verb)
  if (row === undefined) return undefined
  const prefix = verb === 'O' ? '0o' : flags.sharp ? row.prefix : ''
  const front = signOf(value < 0n, flags) + prefix
  const digits = inBase(value, row.base, verb).padStart(flags.precision ?? 0, '0')
  if (flags.zero && !flags.minus && flags.precision === undefined)
    return front + digits.padStart((flags.width ?? 0) - front.length, '0')
  return padded(front + digits, flags, false)
}

function codePoint(value: bigint, flags: Flags): string {
  const unsigned = BigInt.asUintN(64, value)
  const digits = unsigned.toString(16).toUpperCase()
  const character = runeText(unsigned)
  const also = flags.sharp && unsigned <= 0x10ffffn && isPrintable(character) ? ` '${character}'` : ''
  return padded(`U+${digits.padStart(Math.max(flags.precision ?? 4, 4), '0')}${also}`, flags, false)
}

const FLOATS: ReadonlyMap<string, { verb: FloatVerb; precision: number }> = new Map([
  ['v', { verb: 'g', precision: -1 }],
  ['b', { verb: 'b', precision: -1 }],
  ['g', { verb: 'g', precision: -1 }],
  ['G', { verb: 'G', precision: -1 }],
  ['x', { verb: 'x', precision: -1 }],
  ['X', { verb: 'X', precision: -1 }],
  ['f', { verb: 'f', precision: 6 }],
  ['F', { verb: 'f', precision: 6 }],
  ['e', { verb: 'e', precision: 6 }],
  ['E', { verb: 'E', precision: 6 }],
])

function float(value: number, verb: string, flags: Flags): string | undefined {
  const row = FLOATS.get(verb)
  if (row === undefined) return undefined
  const precision = flags.precision ?? row.precision
  const shown = formatFloat(value, row.verb, precision)
  const negative = shown.startsWith('-')
  const unsigned = shown.replace(/^[+-]/, '')
  const digits = flags.sharp && row.verb !== 'b' ? withPoint(unsigned, row.verb, precision) : unsigned
  const sign = signOf(negative, flags)
  if (sign !== '' && flags.zero && !flags.minus)
    return sign + '0'.repeat(Math.max((flags.width ?? 0) - digits.length - 1, 0)) + digits
  return padded(sign + digits, flags)
}

/** `#` forces a decimal point, and for `%g` keeps the zeros within the precision. */
function withPoint(unsigned: string, verb: FloatVerb, precision: number): string {
  const at = unsigned.search(verb === 'x' || verb === 'X' ? /[pP]/ : /[eE]/)
  const mantissa = at < 0 ? unsigned : unsigned.slice(0, at)
  const tail = at < 0 ? '' : unsigned.slice(at)
  const keepsZeros = verb === 'g' || verb === 'G' || verb === 'x'
  let missing = keepsZeros ? (precision === -1 ? 6 : precision) : 0
  missing -= mantissa.replace(/^[0.]+/, '').replace('.', '').length
  if (mantissa === '0') missing -= 1
  return mantissa + (mantissa.includes('.') ? '' : '.') + '0'.repeat(Math.max(missing, 0)) + tail
}

function text(value: string, verb: string, flags: Flags): string {
  if (verb === 'x' || verb === 'X') return hexadecimal(value, verb, flags)
  const kept = flags.precision === undefined ? value : Array.from(value).slice(0, flags.precision).join('')
  const quotes = verb === 'q' || (verb === 'v' && flags.sharp)
  if (!quotes) return padded(kept, flags)
  if (flags.sharp && verb === 'q' && fitsBackquotes(kept)) return padded(`\`${kept}\``, flags)
  return padded(quoted(kept, '"', flags.plus && verb === 'q'), flags)
}

/** The UTF-8 bytes of a text; precision limits the bytes, a space separates them, `#` adds `0x`. */
function hexadecimal(value: string, verb: 'x' | 'X', flags: Flags): string {
  const bytes = Buffer.from(value, 'utf8').subarray(0, flags.precision)
  const prefix = flags.sharp ? `0${verb}` : ''
  const pairs = Array.from(bytes, (byte) => {
    const pair = byte.toString(16).padStart(2, '0')
    return verb === 'X' ? pair.toUpperCase() : pair
  })
  const shown = flags.space
    ? pairs.map((pair) => prefix + pair).join(' ')
    : pairs.length > 0
      ? prefix + pairs.join('')
      : ''
  return padded(shown, flags)
}
