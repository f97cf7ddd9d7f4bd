import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Fresh in every process, so that nobody outside can predict the digests that are compared. */
const comparisonKey = randomBytes(32)

const digest = (bytes: Uint8Array): Buffer => createHmac('sha256', comparisonKey).update(bytes).digest()

/**
 * Whether both are the same bytes. The time taken depends on their lengths and not on where they differ; other lengths
 * are unequal, not an error, because `timingSafeEqual` alone would throw and so answer sooner.
 */
export function constantTimeEqual(a: Uint8Array, b: Uint8Array): boolean {
  return timingSafeEqual(digest(a), digest(b))
}
