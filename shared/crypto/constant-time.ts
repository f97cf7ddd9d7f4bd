import { timingSafeEqual } from 'node:crypto'

/**
 * Whether both are the same bytes. The time depends on the lengths, which are public, and not on the position of a
 * difference. Different lengths are unequal; `timingSafeEqual` alone would throw.
 */
export const constantTimeEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.byteLength === b.byteLength && timingSafeEqual(a, b)
