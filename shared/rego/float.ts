/**
 * Precision of every number that is not an integer, in bits; equal to the reference's, so that `0.1 + 0.2 == 0.3`
 * holds.
 */
export const MANTISSA_BITS = 64

/**
 * Largest power of two that a number may have in either direction; a larger literal is refused. Ours, lower than the
 * reference's: parsing and printing a number costs as much as its power, and a text of 64 KiB can contain 8,000 of
 * them.
 */
export const MAX_BINARY_EXPONENT = 8_192

/** Bits of `value`, which is not negative. */
const bitLength = (value: bigint): number => {
  const hex = value.toString(16)
  return (hex.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(hex.charAt(0), 16)))
}

/** `value / 2^bits`, half to even. */
const shiftRounded = (value: bigint, bits: number): bigint => {
  const shift = BigInt(bits)
  const quotient = value >> shift
  const rest = value & ((1n << shift) - 1n)
  const half = 1n << (shift - 1n)
  return rest > half || (rest === half && (quotient & 1n) === 1n) ? quotient + 1n : quotient
}

/**
 * A binary floating-point number: sign · mantissa · 2^exponent, with a mantissa of at most 64 bits unless it is whole.
 * Zero has the exponent 0. Created by the functions below, which round half to even and drop trailing zero bits, so
 * that equal values have equal fields.
 */
export class Float {
  /** carries the sign; odd, or 0 */
  readonly mantissa: bigint
  readonly exponent: number
  /** the literal as written, only for output; undefined for computed values */
  readonly literal: string | undefined

  constructor(mantissa: bigint, exponent: number, literal?: string) {
    this.mantissa = mantissa
    this.exponent = exponent
    this.literal = literal
  }

  get isInteger(): boolean {
    return this.exponent >= 0
  }

  /** Shortest decimal text that identifies the value; the literal's own text if there is one. */
  toString(): string {
    return this.literal ?? shortest(this)
  }

  toNumber(): number {
    return Number(this.literal ?? shortest(this))
  }
}

/**
 * The float nearest to `mantissa · 2^exponent`. `sticky` means that nonzero bits below the last one were cut off.
 * @throws RangeError above MAX_BINARY_EXPONENT
 */
export function roundToFloat(mantissa: bigint, exponent: number, sticky = false, literal?: string): Float {
  if (mantissa === 0n) return new Float(0n, 0, literal)
  const negative = mantissa < 0n
  let size = negative ? -mantissa : mantissa
  let power = exponent
  if (sticky) {
    size = (size << 1n) | 1n
    power--
  }
  const excess = bitLength(size) - MANTISSA_BITS
  if (excess > 0) {
    size = shiftRounded(size, excess)
    power += excess
  }
  const zeros = trailingZeros(size)
  size >>= BigInt(zeros)
  power += zeros
  if (Math.abs(power) > MAX_BINARY_EXPONENT) throw new RangeError('number out of range')
  return new Float(negative ? -size : size, power, literal)
}

/** The whole number `mantissa · 2^exponent` as a float with all of its bits, such as `1e30`. */
export function wholeFloat(mantissa: bigint, exponent: number, literal: string): Float {
  if (mantissa === 0n) return new Float(0n, 0, literal)
  const zeros = trailingZeros(mantissa)
  return new Float(mantissa >> BigInt(zeros), exponent + zeros, literal)
}

const trailingZeros = (value: bigint): number => {
  let zeros = 0
  let rest = value
  while ((rest & 0xffffffffn) === 0n) {
    rest >>= 32n
    zeros += 32
  }
  const low = Number(rest & 0xffffffffn)
  return zeros + (31 - Math.clz32(low & -low))
}

/** `numerator / denominator` as the nearest float. */
export function divideToFloat(numerator: bigint, denominator: bigint, exponent = 0, literal?: string): Float {
  const negative = numerator < 0n !== denominator < 0n
  const over = numerator < 0n ? -numerator : numerator
  const under = denominator < 0n ? -denominator : denominator
  const shift = Math.max(0, MANTISSA_BITS + 2 + bitLength(under) - bitLength(over))
  const scaled = over << BigInt(shift)
  const quotient = scaled / under
  return roundToFloat(negative ? -quotient : quotient, exponent - shift, quotient * under !== scaled, literal)
}

/** Power of two just above the absolute value; 0 has none. */
const magnitude = ({ mantissa, exponent }: Float): number =>
  mantissa === 0n ? -Infinity : bitLength(mantissa < 0n ? -mantissa : mantissa) + exponent

/** Less than 0, 0 or more than 0; numbers of very different size are compared without expanding them. */
export function compareFloats(a: Float, b: Float): number {
  const sign = Number(a.mantissa > 0n) - Number(a.mantissa < 0n)
  const other = Number(b.mantissa > 0n) - Number(b.mantissa < 0n)
  if (sign !== other) return sign - other
  const [large, small] = [magnitude(a), magnitude(b)]
  if (large !== small) return large < small ? -sign : sign
  const [x, y] = aligned(a, b)
  return x < y ? -1 : x > y ? 1 : 0
}

export function addFloats(a: Float, b: Float): Float {
  if (b.mantissa !== 0n && a.mantissa !== 0n) {
    // No bit of the smaller number reaches a kept bit.
    const apart = magnitude(a) - magnitude(b)
    if (Math.abs(apart) > 2 * MANTISSA_BITS) return apart > 0 ? a : b
  }
  const [x, y, exponent] = aligned(a, b)
  return roundToFloat(x + y, exponent)
}

/** Two floats with a common exponent: `[a, b, exponent]`. */
function aligned(a: Float, b: Float): [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent)
  return [a.mantissa << BigInt(a.exponent - exponent), b.mantissa << BigInt(b.exponent - exponent), exponent]
}

/**
 * The fewest decimal digits that are closer to `value` than to any neighbour. Fractions below 1e-4 and from 1e6 on have
 * an exponent of at least two digits, as in the reference: `1.5e+06`.
 */
function shortest(value: Float): string {
  if (value.mantissa === 0n) return '0'
  const sign = value.mantissa < 0n ? '-' : ''
  const { digits, point } = shortestDigits(value)
  if (value.isInteger) return sign + digits.padEnd(point, '0')
  const exponent = point - 1
  if (exponent < -4 || exponent >= 6) return sign + scientific(digits, exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return digits.length > point
    ? `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
    : sign + digits.padEnd(point, '0')
}

function scientific(digits: string, exponent: number): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
  return `${digits.charAt(0)}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** `0.digits · 10^point` with the fewest digits inside half a unit of the last bit around the value. */
function shortestDigits(value: Float): { digits: string; point: number } {
  const size = value.mantissa < 0n ? -value.mantissa : value.mantissa
  const fill = MANTISSA_BITS - bitLength(size)
  // In units of half the last bit: the value is even, and its neighbourhood extends one unit to each side.
  const middle = size << BigInt(fill + 1)
  const inclusive = (middle & 2n) === 0n
  const power = value.exponent - fill - 1
  const scale = power < 0 ? 5n ** BigInt(-power) : 1n << BigInt(power)
  const decimals = power < 0 ? -power : 0
  const exact = (middle * scale).toString()
  const places = exact.length
  for (let kept = 1; kept < places; kept++) {
    const unit = 10n ** BigInt(places - kept)
    const below = BigInt(exact.slice(0, kept)) * unit
    const rest = middle * scale - below
    const fitsBelow = inclusive ? rest <= scale : rest < scale
    const fitsAbove = inclusive ? unit - rest <= scale : unit - rest < scale
    if (!fitsBelow && !fitsAbove) continue
    const up = fitsAbove && (!fitsBelow || unit - rest < rest)
    const chosen = (up ? below + unit : below).toString()
    return { digits: chosen.replace(/0+$/, ''), point: chosen.length - decimals }
  }
  return { digits: exact.replace(/0+$/, ''), point: places - decimals }
}
