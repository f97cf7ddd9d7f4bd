import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/time.ts'

/** Milliseconds of `<X>d` or `<Y>h`, as the schemas let them through. */
export const durationMs = (text: string): number => Number(text.slice(0, -1)) * (text.endsWith('d') ? DAY_MS : HOUR_MS)

/**
 * Ours: a rotation that lasts an hour must not make a key due an hour after the run of the next week: half the time
 * between two runs is no matter, up to half a day.
 */
export const graceMs = (spacingMinutes: number): number => Math.min(12 * HOUR_MS, (spacingMinutes * MINUTE_MS) / 2)
