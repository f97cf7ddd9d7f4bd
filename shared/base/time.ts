/** Whole-second and millisecond arithmetic on the request's own `now`; nothing here reads a clock. */
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

export const later = (now: Date, ms: number): Date => new Date(now.getTime() + ms)

/** Whether an RFC 3339 time has been reached; an absent one never is. */
export const reached = (time: string | undefined, now: Date): boolean =>
  time !== undefined && Date.parse(time) <= now.getTime()

/** Whether a time is in the future. A time more than `mostMs` ahead was set by a wrong clock and is ignored. */
export const isAwaited = (time: string | undefined, now: Date, mostMs: number): boolean =>
  time !== undefined && !reached(time, now) && Date.parse(time) <= now.getTime() + mostMs

export const toSeconds = (now: Date): number => Math.floor(now.getTime() / 1000)

/** Work without a caller: its time, and whether there is time left for more of it. */
export interface Sweep {
  readonly now: Date
  readonly hasTime: () => boolean
}
