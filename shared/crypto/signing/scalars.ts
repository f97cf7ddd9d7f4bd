/**
 * Secret numbers modulo the order of a curve, as limbs in memory that can be zeroed, unlike strings and bigints. Sums
 * and products take the same steps for all numbers, and access limbs by index, because an iterator would create copies.
 */

const LIMB_BITS = 16
const LIMB = 2 ** LIMB_BITS - 1

/** 16 bits each, lowest first. The owner of a secret number zeroes it. */
export type Limbs = Uint16Array<ArrayBuffer>

/** An odd, public modulus. */
export interface Modulus {
  readonly value: bigint
  readonly limbs: Limbs
  /** -1 divided by the modulus, modulo 2^16 */
  readonly negativeInverse: number
}

/** @param bytes big-endian, at most as long as the limbs */
export function limbsOf(bytes: Uint8Array, count: number): Limbs {
  const limbs = new Uint16Array(count)
  for (let at = 0, from = bytes.length - 1; at < count; at++, from -= 2)
    limbs[at] = (bytes[from] ?? 0) | ((bytes[from - 1] ?? 0) << 8)
  return limbs
}

/** For public numbers only: it converts through a string. */
export function limbsOfPublic(value: bigint, count: number): Limbs {
  return limbsOf(Buffer.from(value.toString(16).padStart(count * 4, '0'), 'hex'), count)
}

/** For public numbers only: a bigint cannot be zeroed. */
export const valueOf = (limbs: Limbs): bigint =>
  limbs.reduceRight((value, limb) => (value << BigInt(LIMB_BITS)) | BigInt(limb), 0n)

/**
 * Newton's iteration doubles the number of correct bits. One bit is correct at the start because the modulus is odd.
 */
function negativeInverseOf(low: number): number {
  let inverse = 1
  for (let bits = 1; bits < LIMB_BITS; bits *= 2) inverse = Math.imul(inverse, 2 - Math.imul(low, inverse)) & LIMB
  return -inverse & LIMB
}

/** @param count limbs, enough for the modulus */
export function modulus(value: bigint, count: number): Modulus {
  const limbs = limbsOfPublic(value, count)
  return { value, limbs, negativeInverse: negativeInverseOf(limbs[0] ?? 0) }
}

/** Reduces a number below twice the modulus, one limb longer than it. The input is zeroed. */
function reduced(number: Uint32Array, { limbs: of }: Modulus): Limbs {
  const rest = new Uint16Array(of.length)
  let borrow = 0
  for (const at of of.keys()) {
    const difference = (number[at] ?? 0) - (of[at] ?? 0) - borrow
    rest[at] = difference
    borrow = difference >>> 31
  }
  const isBelow = ((number[of.length] ?? 0) - borrow) >>> 31
  for (const at of of.keys()) rest[at] = ((number[at] ?? 0) & -isBelow) | ((rest[at] ?? 0) & (isBelow - 1))
  number.fill(0)
  return rest
}

/** `a + b`, both below the modulus. */
export function sum(a: Limbs, b: Limbs, of: Modulus): Limbs {
  const total = new Uint32Array(a.length + 1)
  for (const at of a.keys()) {
    const limb = (total[at] ?? 0) + (a[at] ?? 0) + (b[at] ?? 0)
    total[at] = limb & LIMB
    total[at + 1] = limb >>> LIMB_BITS
  }
  return reduced(total, of)
}

/**
 * `a · b / R`, where R is 2^16 to the number of limbs: Montgomery's product. One of the two is below the modulus.
 * @see Menezes, van Oorschot, Vanstone, Handbook of Applied Cryptography, algorithm 14.36
 */
export function product(a: Limbs, b: Limbs, of: Modulus): Limbs {
  const { limbs: n, negativeInverse } = of
  const count = n.length
  const total = new Uint32Array(count + 2)
  for (const place of a.keys()) {
    const digit = a[place] ?? 0
    const quotient = (((total[0] ?? 0) + digit * (b[0] ?? 0)) * negativeInverse) & LIMB
    addMultiple(total, b, digit)
    addMultiple(total, n, quotient)
    total.copyWithin(0, 1) // the lowest limb is 0 now
    total[count + 1] = 0
  }
  return reduced(total, of)
}

/** Adds `digit` times `b`; the total has two limbs more. */
function addMultiple(total: Uint32Array, b: Limbs, digit: number): void {
  let carry = 0
  for (const at of b.keys()) {
    const part = (total[at] ?? 0) + digit * (b[at] ?? 0) + carry // below 2^32
    total[at] = part & LIMB
    carry = part >>> LIMB_BITS
  }
  const top = (total[b.length] ?? 0) + carry
  total[b.length] = top & LIMB
  total[b.length + 1] = (total[b.length + 1] ?? 0) + (top >>> LIMB_BITS)
}
