import { DAY_MS, HOUR_MS } from '../../time.ts'

/** Milliseconds of `<X>d` or `<Y>h`, as the schemas let them through. */
export const durationMs = (text: string): number => Number(text.slice(0, -1)) * (text.endsWith('d') ? DAY_MS : HOUR_MS)
