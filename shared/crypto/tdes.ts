/** The bytes of one DES key. */
const PART_BYTES = 8

/**
 * Sets the lowest bit of each byte, in place, so that the byte has an odd number of ones. The cipher ignores these bits.
 * @see NIST SP 800-67 Rev. 2 §3.1
 */
export function setOddParity(key: Buffer): void {
  for (const [at, byte] of key.entries()) {
    let ones = byte >>> 1
    ones ^= ones >>> 4
    ones ^= ones >>> 2
    ones ^= ones >>> 1
    key[at] = (byte & 0xfe) | (~ones & 1)
  }
}

/**
 * The rule that a key violates: equal parts, apart from parity bits, leave less than two keys (NIST SP 800-67 Rev. 2
 * §3.2). Ours: parity bits of imported keys are not checked and stay unchanged, so that an export returns the same
 * bytes.
 * @param key of 16 or 24 bytes; a key of 16 bytes uses its first part a third time
 */
export function tdesFault(key: Buffer): string | undefined {
  const same = (one: number, other: number): boolean =>
    Array.from({ length: PART_BYTES }).every(
      (_, at) => (((key[one * PART_BYTES + at] ?? 0) ^ (key[other * PART_BYTES + at] ?? 0)) & 0xfe) === 0,
    )
  const parts = key.length / PART_BYTES
  const repeats = same(0, 1) || (parts === 3 && (same(1, 2) || same(0, 2)))
  return repeats ? 'the parts of a tdes key must differ from each other' : undefined
}
