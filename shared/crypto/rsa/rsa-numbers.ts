import { checkPrime } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import { byName } from '../../base/fields.ts'
import { TAG, bigintOf, membersOf, readDer } from '../asn1/der.ts'
import { fewAtATime } from '../few-at-a-time.ts'

/** FIPS 186-5 §A.1.1: the public exponent is odd, above 2^16 and below 2^256. Smaller ones enabled attacks on padding. */
const LEAST_EXPONENT = 65537n
const EXPONENT_BOUND = 1n << 256n

/** FIPS 186-5 §A.1.3: the primes differ in one of their first 100 bits. Close primes are found by Fermat's method. */
const DISTANCE_BITS = 100

/** NIST SP 800-89 §5.3.3: a modulus has no factor below this number. */
const SMALL_FACTOR_BOUND = 752

/**
 * Rounds of the Miller-Rabin test with random bases. A number built to deceive passes one round with a probability of
 * 1/4 (FIPS 186-5 §B.3.1), so 64 rounds leave 2^-128. A Carmichael number passes Fermat's test, but not this one.
 */
const ROUNDS = 64

const isPrime = (candidate: bigint): Promise<boolean> =>
  new Promise((resolve, reject) => {
    checkPrime(candidate, { checks: ROUNDS }, (error, holds) => (error ? reject(error) : resolve(holds)))
  })

const broken = (sentence: string) => new Refusal('RULE_BROKEN', sentence)

/** The refusal of numbers that contradict each other. */
export const inconsistent = (cause?: unknown): Refusal =>
  new Refusal('RULE_BROKEN', 'the numbers of material do not belong to one key', { cause })

/**
 * Checks the public numbers of an RSA key. @see NIST SP 800-89 §5.3.3
 * @throws Refusal RULE_BROKEN
 */
export async function requireRsaPublic(key: KeyObject): Promise<void> {
  const { publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (publicExponent < LEAST_EXPONENT || publicExponent >= EXPONENT_BOUND || publicExponent % 2n === 0n)
    throw broken('the public exponent of material must be odd, at least 65537 and below 2^256')
  const n = modulusOf(key)
  for (let factor = 2n; factor < SMALL_FACTOR_BOUND; factor++)
    if (n % factor === 0n) throw broken('the modulus of material has a small factor')
  if (await fewAtATime(() => isPrime(n))) throw broken('the modulus of material is a prime')
}

function modulusOf(key: KeyObject): bigint {
  const { n = '' } = key.export({ format: 'jwk' })
  return BigInt(`0x${Buffer.from(n, 'base64url').toString('hex') || '0'}`)
}

/**
 * Checks the private numbers of an RSA key: that they are consistent (RFC 8017 §3.2), and that its factors are primes
 * of equal length (FIPS 186-5 §A.1.3). OpenSSL does neither, and hides wrong CRT numbers by falling back to the plain
 * exponent. The primes are tested outside the event loop.
 * @throws Refusal RULE_BROKEN, TOO_MANY_REQUESTS
 */
export async function requireRsaPrivate(key: KeyObject): Promise<void> {
  const { n, e, d, p, q, dp, dq, qInverse } = privateNumbers(key)
  const belong =
    p > 1n &&
    q > 1n &&
    p !== q &&
    n === p * q &&
    d > 0n &&
    d < n &&
    dp === d % (p - 1n) &&
    dq === d % (q - 1n) &&
    (e * d) % (p - 1n) === 1n &&
    (e * d) % (q - 1n) === 1n &&
    (qInverse * q) % p === 1n
  if (!belong) throw inconsistent()
  const primeBits = bitsOf(n) / 2
  if (bitsOf(p) !== primeBits || bitsOf(q) !== primeBits) throw broken('the primes of material must be of equal length')
  const distance = p > q ? p - q : q - p
  if (distance <= 1n << BigInt(primeBits - DISTANCE_BITS)) throw broken('the primes of material are too close')
  if (d <= 1n << BigInt(primeBits)) throw broken('the private exponent of material is too small') // FIPS 186-5 §A.1.1
  if (!(await fewAtATime(async () => (await isPrime(p)) && isPrime(q))))
    throw broken('the factors of material are not primes')
}

const bitsOf = (number: bigint): number => number.toString(2).length

const NUMBERS = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qInverse'] as const

/** The numbers of an RSAPrivateKey with two primes (RFC 8017 §A.1.2). */
function privateNumbers(key: KeyObject): Readonly<Record<(typeof NUMBERS)[number], bigint>> {
  const pkcs1 = key.export({ format: 'der', type: 'pkcs1' })
  const [version, ...numbers] = membersOf(readDer(pkcs1, TAG.sequence)).map((member) =>
    member.tag === TAG.integer ? bigintOf(member) : undefined,
  )
  pkcs1.fill(0)
  if (version !== 0n) throw broken('material with more than two primes is not taken')
  return byName(NUMBERS, (name) => {
    const number = numbers[NUMBERS.indexOf(name)]
    if (number === undefined) throw inconsistent()
    return number
  })
}
