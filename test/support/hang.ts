import { expect } from 'vitest'

/**
 * Milliseconds that only what hangs, or what takes the square of its input, lasts. Far above any time that is promised:
 * promised times are measured in `bench/`, where a slow machine changes the figure and fails nothing.
 */
export const HANG_MS = 20_000

/** Fails if more than `HANG_MS` have passed since `fromMs`, a reading of `performance.now()`. */
export function expectNoHang(fromMs: number): void {
  expect(performance.now() - fromMs, 'milliseconds').toBeLessThan(HANG_MS)
}
