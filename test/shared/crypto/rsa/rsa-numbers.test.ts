import { checkPrimeSync, createPrivateKey, generatePrimeSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { TAG, der } from '../../../../shared/crypto/asn1/der.ts'
import { fewAtATime } from '../../../../shared/crypto/few-at-a-time.ts'
import { importMaterial } from '../../../../shared/crypto/material/import-material.ts'
import { refused } from '../refused.ts'

const PRIME_BITS = 1024
const prime = (bits = PRIME_BITS): bigint => generatePrimeSync(bits, { bigint: true })

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b))
const lcm = (numbers: readonly bigint[]): bigint => numbers.reduce((all, one) => (all / gcd(all, one)) * one)

/** The inverse, by the extended Euclidean algorithm; undefined when the number has none. */
function inverse(number: bigint, modulus: bigint): bigint | undefined {
  let [a, b, x, y] = [number % modulus, modulus, 1n, 0n]
  while (b !== 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y]
  return a === 1n ? ((x % modulus) + modulus) % modulus : undefined
}

function integer(value: bigint): Buffer {
  const hex = value.toString(16)
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return der(TAG.integer, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]))
}

interface Wanted {
  /** prime factors of p and q, if these are not primes */
  readonly primes?: readonly bigint[]
  readonly e?: bigint
  /** the private exponent, given instead of the public one */
  readonly d?: bigint
}

/** An RSA key with consistent numbers, so that it signs and verifies. `undefined` when e has no inverse. */
function keyOf(p: bigint, q: bigint, { primes = [], e: wanted, d: given }: Wanted = {}): string | undefined {
  const order = lcm([p - 1n, q - 1n, ...primes.map((one) => one - 1n)])
  const e = given === undefined ? (wanted ?? 65537n) : inverse(given, order)
  const d = e === undefined ? undefined : (given ?? inverse(e, order))
  const qInverse = inverse(q, p)
  if (e === undefined || d === undefined || qInverse === undefined) return undefined
  const numbers = [0n, p * q, e, d, p, q, d % (p - 1n), d % (q - 1n), qInverse]
  return der(TAG.sequence, ...numbers.map(integer)).toString('base64')
}

/** The first key that `make` returns: some attempts fail. */
function until(make: () => string | undefined): string {
  for (;;) {
    const made = make()
    if (made !== undefined) return made
  }
}

const importing = (material: string, sizeBits = 2 * PRIME_BITS) =>
  importMaterial({ algorithm: 'rsa', format: 'pkcs1', encoding: 'base64', material, sizeBits })

const after = (start: bigint): bigint => {
  let next = start + 2n
  while (!checkPrimeSync(next)) next += 2n
  return next
}

/** (6k+1)(12k+1)(18k+1) is a Carmichael number when all three are primes (Chernick 1939). */
const k = BigInt('0x35c1b2997961aaee0351dba7903318aab9b5b3774bb009b4f52fb31c6fb6b1f39b9ccc8a0ff0c6' + '900323a')
const CARMICHAEL = [6n * k + 1n, 12n * k + 1n, 18n * k + 1n] as const

test('the keys of these tests sign, and are taken when their factors are primes', async () => {
  const material = until(() => keyOf(prime(), prime()))
  expect(await importing(material)).toMatchObject({ objectType: 'Private Key', sizeBits: 2048 })
  expect(createPrivateKey({ key: Buffer.from(material, 'base64'), format: 'der', type: 'pkcs1' }).type).toBe('private')
})

test.each<[string, () => string | undefined, string]>([
  ['with a factor of 65521', () => keyOf(prime(2032), 65521n), 'equal length'],
  ['with a factor of 3', () => keyOf(prime(2046), 3n), 'small factor'],
  [
    'with a Carmichael number, which passes the test of Fermat',
    () => keyOf(CARMICHAEL[0] * CARMICHAEL[1] * CARMICHAEL[2], prime(), { primes: CARMICHAEL }),
    'not primes',
  ],
  [
    'of adjacent primes',
    () => {
      const p = prime()
      return keyOf(after(p), p)
    },
    'too close',
  ],
  ['with a small private exponent', () => keyOf(prime(), prime(), { d: prime(200) }), 'public exponent'],
  ['of primes of different length', () => keyOf(prime(1280), prime(768)), 'equal length'],
  ['with a public exponent of 2^256', () => keyOf(prime(), prime(), { e: (1n << 256n) + 1n }), 'public exponent'],
])('an RSA key %s is refused', async (_what, make, names) => {
  expect(await refused('RULE_BROKEN', () => importing(until(make)))).toContain(names)
})

test.each([
  ['with a small factor', () => 3n * prime(2046), 'small factor'],
  ['that is a prime', () => prime(2048), 'is a prime'],
])('an RSA public key whose modulus is one %s is refused', async (_what, make, names) => {
  let n = make()
  while (n.toString(2).length !== 2048) n = make()
  const material = der(TAG.sequence, integer(n), integer(65537n)).toString('base64')
  expect(await refused('RULE_BROKEN', () => importing(material))).toContain(names)
})

test('of many concurrent tasks two run, eight wait in order, and the rest is refused', async () => {
  const begun: number[] = []
  const ends: (() => void)[] = []
  const work = (at: number) => () =>
    new Promise<number>((resolve) => {
      begun.push(at)
      ends.push(() => resolve(at))
    })
  const all = Array.from({ length: 10 }, (_, at) => fewAtATime(work(at)))
  await refused('TOO_MANY_REQUESTS', () => fewAtATime(work(10)))
  expect(begun).toEqual([0, 1])
  for (const at of all.keys()) {
    ends[at]?.()
    expect(await all[at]).toBe(at)
    await Promise.resolve()
  }
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  const failed = fewAtATime(() => Promise.reject(new RangeError('no')))
  await expect(failed).rejects.toThrow('no')
  expect(await fewAtATime(() => Promise.resolve('free again'))).toBe('free again')
})
