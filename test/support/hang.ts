import { expect } from 'vitest'

/**
 * A time in milliseconds that only a hang or a quadratic algorithm exceeds. It is far above every promised time:
 * `bench/` measures those, where a slow machine changes a figure and fails no test.
 */
export const HANG_MS = 20_000

/** Fails if more than `HANG_MS` have passed since `fromMs`, a reading of `performance.now()`. */
export function expectNoHang(fromMs: number): void {
  expect(performance.now() - fromMs, 'milliseconds').toBeLessThan(HANG_MS)
}
