import { createCipheriv } from 'node:crypto'
import { Refusal } from '../base/errors.ts'
import type { AlgorithmRow } from './algorithms.ts'
import { constantTimeEqual } from './constant-time.ts'
import { SecretBytes } from './secret-bytes.ts'

const BLOCK_BYTES = 16

/*
 * Material of XTS-AES: the data key and then the tweak key, two AES keys of one size.
 * IEEE 1619-2018 §5; NIST SP 800-38E.
 */

/** @throws Refusal RULE_BROKEN unless the algorithm has XTS keys with halves of this size */
export function requireXtsSize({ name, xtsSizesBits = [] }: AlgorithmRow, halfBits: number): void {
  if (xtsSizesBits.length === 0) throw new Refusal('RULE_BROKEN', `xts does not go with algorithm ${name}`)
  if (!xtsSizesBits.includes(halfBits))
    throw new Refusal(
      'RULE_BROKEN',
      `size of an xts key must be one of ${xtsSizesBits.join(', ')} bits, and its material twice as long`,
    )
}

const halvesOf = (bytes: Buffer): [dataKey: Buffer, tweakKey: Buffer] => {
  const middle = bytes.length / 2
  return [bytes.subarray(0, middle), bytes.subarray(middle)]
}

/** The rule that the material of an XTS key violates. @see FIPS 140-3 Implementation Guidance, C.I */
export function xtsFault(bytes: Buffer): string | undefined {
  return constantTimeEqual(...halvesOf(bytes)) ? 'the two halves of the material of an xts key must differ' : undefined
}

/** Equal halves occur once in 2^128 keys or more. A random source that repeats this is broken. */
const DRAWS_MOST = 3

/**
 * Random material with halves that differ.
 * @throws Error, a fault of the random source
 */
export function randomXts(
  halfBits: number,
  draw = (bytes: number): SecretBytes => SecretBytes.random(bytes),
): SecretBytes {
  for (let draws = 0; draws < DRAWS_MOST; draws++) {
    const bytes = draw(halfBits / 4)
    if (bytes.use(xtsFault) === undefined) return bytes
    bytes.destroy()
  }
  throw new Error('The random source repeats itself')
}

/**
 * The first block of a data unit of zeros with number zero. Ours: PKCS #11 specifies no check value for such a key;
 * this one depends on both halves.
 */
export const xtsCheckBlock = (both: Buffer, halfBits: number): Buffer =>
  createCipheriv(`aes-${halfBits}-xts`, both, Buffer.alloc(BLOCK_BYTES)).update(Buffer.alloc(BLOCK_BYTES))

/** The data key and the tweak key, copied. The caller destroys them. */
export const xtsHalves = (both: SecretBytes): [dataKey: SecretBytes, tweakKey: SecretBytes] =>
  both.use((bytes) => {
    const [dataKey, tweakKey] = halvesOf(bytes)
    return [SecretBytes.from(dataKey), SecretBytes.from(tweakKey)]
  })
