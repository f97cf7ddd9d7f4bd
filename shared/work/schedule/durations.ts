import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/time.ts'

/** Milliseconds of `<X>d` or `<Y>h`, as the schemas accept them. */
export const durationMs = (text: string): number => Number(text.slice(0, -1)) * (text.endsWith('d') ? DAY_MS : HOUR_MS)

/**
 * Ours: how early a key may be due. After a rotation that lasted an hour, the key would otherwise not be due yet at the
 * run of the next week. Half the time between two runs, at most half a day.
 */
export const graceMs = (spacingMinutes: number): number => Math.min(12 * HOUR_MS, (spacingMinutes * MINUTE_MS) / 2)
