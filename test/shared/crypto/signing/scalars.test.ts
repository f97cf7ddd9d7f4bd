import { expect, test } from 'vitest'
import { limbsOf, limbsOfPublic, modulus, product, sum, valueOf } from '../../../../shared/crypto/signing/scalars.ts'
import fc from '../../../support/fast-check.ts'

/** Orders of P-256 and P-384, a number with all bits of its limbs set, and one with only its first and last bit set. */
const ORDERS: readonly (readonly [bigint, number])[] = [
  [0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n, 16],
  [0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n, 24],
  [2n ** 64n - 1n, 4],
  [2n ** 63n + 1n, 4],
]

/** Numbers of this many bits, with an emphasis on the extremes. */
const numbers = (bits: number) =>
  fc.oneof(fc.constantFrom(0n, 1n, 2n ** BigInt(bits) - 1n), fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }))

test.each(ORDERS)('modulo %d, sums and products are correct and leave their operands unchanged', (order, count) => {
  const of = modulus(order, count)
  const R = 2n ** BigInt(16 * count)
  const any = numbers(16 * count)
  const below = fc.oneof(fc.constantFrom(0n, 1n, order - 1n), fc.bigInt({ min: 0n, max: order - 1n }))
  fc.assert(
    fc.property(any, below, below, (a, b, c) => {
      const [first, second, third] = [a, b, c].map((value) => limbsOfPublic(value, count)) as [any, any, any]
      expect(valueOf(sum(second, third, of))).toBe((b + c) % order)
      const multiplied = valueOf(product(first, second, of))
      expect(multiplied < order).toBe(true)
      expect((multiplied * R) % order).toBe((a * b) % order)
      expect([first, second, third].map(valueOf)).toEqual([a, b, c])
    }),
  )
})

test('bytes of any length are read as a big-endian number', () => {
  expect(valueOf(limbsOf(Buffer.from('010203', 'hex'), 2))).toBe(0x010203n)
  expect(valueOf(limbsOf(Buffer.from('ff01020304', 'hex').subarray(1), 2))).toBe(0x01020304n)
  expect(valueOf(limbsOf(Buffer.alloc(0), 3))).toBe(0n)
})
