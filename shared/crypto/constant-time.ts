import { timingSafeEqual } from 'node:crypto'

/**
 * Whether both are the same bytes. The time taken depends on their lengths, which are no secret, and not on where they
 * differ; other lengths are unequal, not an error, which they would be to `timingSafeEqual` alone.
 */
export const constantTimeEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.byteLength === b.byteLength && timingSafeEqual(a, b)
