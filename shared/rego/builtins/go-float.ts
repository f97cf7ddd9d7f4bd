/**
 * A double as decimal text in the format of Go's strconv.FormatFloat, which `sprintf` specifies. JavaScript's own
 * `toFixed` and `toExponential` stop at 100 digits and round ties up where Go rounds them to even, so digits are
 * computed here from the exact binary value.
 */

/** The digits of a positive number: `0.d1d2d3… × 10^point`. No digit for zero. */
interface Digits {
  readonly digits: string
  readonly point: number
}

export type FloatVerb = 'e' | 'E' | 'f' | 'g' | 'G' | 'b' | 'x' | 'X'

/** More digits than any double has, before or after the point: further ones are only zeros. */
const MOST_DIGITS = 1100

/**
 * @param precision digits after the point (`e`, `f`, `x`), significant digits (`g`); -1 for the fewest that identify
 * `value`
 * @returns with a leading `-` if the sign bit is set; `+Inf`, `-Inf` and `NaN` by name
 */
export function formatFloat(value: number, verb: FloatVerb, precision: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const size = Math.abs(value)
  switch (verb) {
    case 'b':
      return sign + binaryExponent(size)
    case 'x':
    case 'X':
      return sign + hexadecimal(size, precision, verb)
    case 'e':
    case 'E':
      return sign + exponential(precision < 0 ? shortest(size) : significant(size, precision + 1), precision, verb)
    case 'f': {
      const found = precision < 0 ? shortest(size) : afterPoint(size, precision)
      return sign + plain(found, precision < 0 ? Math.max(found.digits.length - found.point, 0) : precision)
    }
    case 'g':
    case 'G':
      return sign + general(size, precision, verb === 'g' ? 'e' : 'E')
  }
}

/** The mantissa and exponent of a positive double: `mantissa × 2^exponent`, exactly. */
function parts(size: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, size)
  const bits = view.getBigUint64(0)
  const biased = Number(bits >> 52n) & 0x7ff
  const fraction = bits & 0xf_ffff_ffff_ffffn
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 }
}

function shortest(size: number): Digits {
  if (size === 0) return { digits: '', point: 0 }
  // JavaScript's shortest digits equal Go's: both are the fewest, and among these the nearest.
  const [mantissa = '', exponent = '0'] = size.toExponential().split('e')
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 }
}

const quotientToEven = (numerator: bigint, denominator: bigint): bigint => {
  const quotient = numerator / denominator
  const twice = 2n * (numerator % denominator)
  return twice > denominator || (twice === denominator && quotient % 2n === 1n) ? quotient + 1n : quotient
}

/** `size × 10^places` as an integer, halves to the even one. */
function scaled(size: number, places: number): bigint {
  const { mantissa, exponent } = parts(size)
  const numerator = mantissa * 10n ** BigInt(Math.max(places, 0)) * 2n ** BigInt(Math.max(exponent, 0))
  return quotientToEven(numerator, 10n ** BigInt(Math.max(-places, 0)) * 2n ** BigInt(Math.max(-exponent, 0)))
}

function afterPoint(size: number, places: number): Digits {
  const kept = Math.min(places, MOST_DIGITS)
  const digits = scaled(size, kept)
  if (digits === 0n) return { digits: '', point: 0 }
  const text = digits.toString()
  return { digits: text, point: text.length - kept }
}

function significant(size: number, count: number): Digits {
  if (size === 0) return { digits: '', point: 0 }
  const kept = Math.min(Math.max(count, 0), MOST_DIGITS)
  const { point } = shortest(size)
  const digits = scaled(size, kept - point).toString()
  // One more digit than requested means that rounding carried: 9.99 became 10.0.
  if (digits.length > kept && kept > 0) return { digits: digits.slice(0, kept), point: point + 1 }
  return { digits: digits === '0' ? '' : digits, point }
}

const exponentText = (exponent: number, letter: string): string =>
  `${letter}${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`

function exponential({ digits, point }: Digits, precision: number, letter: string): string {
  const places = precision < 0 ? Math.max(digits.length - 1, 0) : precision
  const first = digits[0] ?? '0'
  const rest = digits.slice(1, 1 + places).padEnd(places, '0')
  const exponent = digits === '' ? 0 : point - 1
  return first + (places > 0 ? `.${rest}` : '') + exponentText(exponent, letter)
}

function plain({ digits, point }: Digits, places: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0'
  if (places === 0) return whole
  const leading = '0'.repeat(Math.min(Math.max(-point, 0), places))
  const rest = digits.slice(Math.max(point, 0))
  return `${whole}.${(leading + rest).slice(0, places).padEnd(places, '0')}`
}

/** `%e` for exponents below -4 or not below the precision (6 for the shortest form), else `%f`; no trailing zeros. */
function general(size: number, precision: number, letter: string): string {
  const fewest = precision < 0
  const asked = precision === 0 ? 1 : precision
  const found = fewest ? shortest(size) : significant(size, asked)
  const digits = fewest ? found.digits : found.digits.replace(/0+$/, '')
  const shown = { digits, point: digits === '' ? 0 : found.point }
  let limit = fewest ? 6 : asked
  if (!fewest && limit > digits.length && digits.length >= shown.point) limit = digits.length
  const exponent = shown.point - 1
  if (exponent < -4 || exponent >= (fewest ? 6 : limit))
    return exponential(shown, Math.max(digits.length - 1, 0), letter)
  return plain(shown, Math.max(digits.length - shown.point, 0))
}

function binaryExponent(size: number): string {
  const { mantissa, exponent } = parts(size)
  return `${mantissa}p${exponent < 0 ? '' : '+'}${exponent}`
}

/** `0x1.8p+00`: the mantissa in hexadecimal, normalised to a leading 1, the exponent of two in decimal. */
function hexadecimal(size: number, precision: number, verb: 'x' | 'X'): string {
  let { mantissa, exponent } = parts(size)
  if (size === 0) exponent = 0
  else {
    const shift = 60 - (mantissa.toString(2).length - 1)
    mantissa <<= BigInt(shift)
    exponent += 60 - shift
  }
  const places = Math.min(precision, 15)
  if (places >= 0) {
    mantissa = quotientToEven(mantissa, 1n << BigInt(60 - places * 4)) << BigInt(60 - places * 4)
    if (mantissa >> 61n > 0n) {
      mantissa >>= 1n
      exponent += 1
    }
  }
  const fraction = (mantissa & ((1n << 60n) - 1n)).toString(16).padStart(15, '0')
  const shown = precision < 0 ? fraction.replace(/0+$/, '') : fraction.slice(0, places).padEnd(precision, '0')
  const text = `0x${mantissa >> 60n}${shown === '' ? '' : `.${shown}`}${exponentText(exponent, 'p')}`
  return verb === 'x' ? text : text.toUpperCase()
}
