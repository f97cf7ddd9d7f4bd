import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../base/time.ts'

/** Milliseconds of `<X>d` or `<Y>h`, as the schemas accept them. */
export const durationMs = (text: string): number => Number(text.slice(0, -1)) * (text.endsWith('d') ? DAY_MS : HOUR_MS)

/**
 * Ours: how early a key counts as due: half the time between two runs, at most half a day. Otherwise a key that was
 * rotated an hour into a weekly run would not be due yet at the next run.
 */
export const graceMs = (spacingMinutes: number): number => Math.min(12 * HOUR_MS, (spacingMinutes * MINUTE_MS) / 2)
