import {
  Float,
  MANTISSA_BITS,
  MAX_BINARY_EXPONENT,
  addFloats,
  compareFloats,
  divideToFloat,
  roundToFloat,
  wholeFloat,
} from './float.ts'

export { Float }

/**
 * A number of Rego: integers are exact at any size (`number` while safe, `bigint` above), everything else is a float of
 * 64 bits. A literal such as `3.0` is a Float that keeps its text and equals 3.
 */
export type Num = number | bigint | Float

/** Larger integers are refused when they would be computed. */
export const MAX_INTEGER_BITS = 4096
const MAX_INTEGER_DIGITS = 1234

/** Powers of ten, in either direction, that stay inside the range of floats with all of their 64 bits. */
const MAX_DECIMAL_EXPONENT = Math.floor((MAX_BINARY_EXPONENT - 2 * MANTISSA_BITS) * Math.log10(2))

const SAFE = BigInt(Number.MAX_SAFE_INTEGER)
const LITERAL = /^(-?)(\d*)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/

/** An integer in its canonical form: `number` while safe. */
export const integer = (value: bigint): number | bigint => (value <= SAFE && value >= -SAFE ? Number(value) : value)

/** The exact integer value of a number, or undefined if it has a fraction or more than MAX_INTEGER_BITS. */
export function toInteger(value: Num): number | bigint | undefined {
  if (!(value instanceof Float)) return value
  if (!value.isInteger || value.exponent > MAX_INTEGER_BITS) return undefined
  return integer(value.mantissa << BigInt(value.exponent))
}

/** As a bigint, under the conditions of `toInteger`. */
export function toBigint(value: Num): bigint | undefined {
  const whole = toInteger(value)
  return whole === undefined ? undefined : BigInt(whole)
}

/** The nearest double, for operations that use doubles anyway (formatting verbs). */
export const toDouble = (value: Num): number => (value instanceof Float ? value.toNumber() : Number(value))

/** @throws RangeError past MAX_BINARY_EXPONENT */
export const toFloat = (value: Num): Float => (value instanceof Float ? value : roundToFloat(BigInt(value), 0))

/** The result of a computation: an integer if possible, without a literal's text. */
const settled = (value: Float): Num => toInteger(value) ?? value

/**
 * Parses a number in JSON form, or with a leading point. Integers become exact, all other numbers keep their text.
 * @returns undefined for any other text, an integer that is too large, or an exponent out of range
 */
export function parseNumber(text: string): Num | undefined {
  const parts = LITERAL.exec(text)
  if (parts === null) return undefined
  const [, sign, whole = '', fraction, exponent] = parts
  if (fraction === undefined && exponent === undefined) {
    if (whole.length > MAX_INTEGER_DIGITS || whole === '') return undefined
    const small = Number(text)
    return Number.isSafeInteger(small) ? small + 0 : integer(BigInt(text))
  }
  const digits = (whole + (fraction ?? '')).replace(/^0+(?=\d)/, '')
  const power = Number(exponent ?? 0) - (fraction?.length ?? 0)
  if (digits === '' || digits.length > MAX_INTEGER_DIGITS) return undefined
  if (digits === '0') return wholeFloat(0n, 0, text) // zero with any exponent
  if (Math.abs(power + digits.length) > MAX_DECIMAL_EXPONENT) return undefined
  const signed = BigInt(digits) * (sign === '-' ? -1n : 1n)
  if (power < 0) return divideToFloat(signed, powerOf5(-power), power, text)
  if (power + digits.length <= MAX_INTEGER_DIGITS) return wholeFloat(signed * powerOf5(power), power, text)
  return roundToFloat(signed * powerOf5(power), power, false, text)
}

/** Cached powers for literals. Their exponents are bounded, so all of them together are 2 MB. */
const powers = new Map<number, bigint>()

function powerOf5(exponent: number): bigint {
  const known = powers.get(exponent)
  if (known !== undefined) return known
  const power = 5n ** BigInt(exponent)
  powers.set(exponent, power)
  return power
}

/** Less than 0, 0 or more than 0, by value. */
export function compareNumbers(a: Num, b: Num): number {
  if (a instanceof Float || b instanceof Float)
    return compareFloats(a instanceof Float ? a : exactFloat(a), b instanceof Float ? b : exactFloat(b))
  return a < b ? -1 : a > b ? 1 : 0
}

/** Integers and floats compare exactly, whatever their size. */
const exactFloat = (value: number | bigint): Float => new Float(BigInt(value), 0)

/** The text for output: integers plain, floats by their literal or their fewest digits. */
export const numberText = (value: Num): string => (value instanceof Float ? value.toString() : String(value))

/** The same primitive for equal numbers: an integer itself, a fraction as text. */
export function numberKey(value: Num): number | bigint | string {
  if (!(value instanceof Float)) return value
  return toInteger(value) ?? `${value.mantissa}p${value.exponent}`
}

/**
 * Thrown when a result would have more than MAX_INTEGER_BITS or exceed the range of floats: a limit, not an error of
 * the policy.
 */
export class NumberTooLarge extends Error {
  override readonly name = 'NumberTooLarge'
}

const bounded = (value: bigint): number | bigint => {
  if (value <= SAFE && value >= -SAFE) return Number(value)
  if (BigInt.asIntN(MAX_INTEGER_BITS, value) !== value)
    throw new NumberTooLarge(`integer of over ${MAX_INTEGER_BITS} bits`)
  return value
}

const inFloats = (compute: () => Float): Num => {
  try {
    return settled(compute())
  } catch (error) {
    if (error instanceof RangeError) throw new NumberTooLarge('number out of range', { cause: error })
    throw error
  }
}

/** @throws NumberTooLarge, as all functions below */
export function add(a: Num, b: Num): Num {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    return Number.isSafeInteger(sum) ? sum : bounded(BigInt(a) + BigInt(b))
  }
  if (!(a instanceof Float) && !(b instanceof Float)) return bounded(BigInt(a) + BigInt(b))
  return inFloats(() => addFloats(toFloat(a), toFloat(b)))
}

export function negate(value: Num): Num {
  if (typeof value === 'number') return value === 0 ? 0 : -value
  return value instanceof Float ? new Float(-value.mantissa, value.exponent) : integer(-value)
}

export const subtract = (a: Num, b: Num): Num => add(a, negate(b))

export function multiply(a: Num, b: Num): Num {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    return Number.isSafeInteger(product) ? product + 0 : bounded(BigInt(a) * BigInt(b))
  }
  if (!(a instanceof Float) && !(b instanceof Float)) return bounded(BigInt(a) * BigInt(b))
  return inFloats(() => {
    const x = toFloat(a)
    const y = toFloat(b)
    return roundToFloat(x.mantissa * y.mantissa, x.exponent + y.exponent)
  })
}

/** An integer if exact. @returns undefined for a division by zero */
export function divide(a: Num, b: Num): Num | undefined {
  if (isZero(b)) return undefined
  if (typeof a === 'number' && typeof b === 'number' && a % b === 0) return a / b + 0
  if (!(a instanceof Float) && !(b instanceof Float)) {
    const [x, y] = [BigInt(a), BigInt(b)]
    if (x % y === 0n) return integer(x / y)
    return divideToFloat(x, y)
  }
  return inFloats(() => {
    const x = toFloat(a)
    const y = toFloat(b)
    return x.mantissa === 0n ? x : divideToFloat(x.mantissa, y.mantissa, x.exponent - y.exponent)
  })
}

/** Remainder with the sign of the dividend. @returns undefined for a remainder by zero */
export function remainder(a: number | bigint, b: number | bigint): number | bigint | undefined {
  if (isZero(b)) return undefined
  return typeof a === 'number' && typeof b === 'number' ? (a % b) + 0 : integer(BigInt(a) % BigInt(b))
}

export const isZero = (value: Num): boolean =>
  value instanceof Float ? value.mantissa === 0n : value === 0 || value === 0n
