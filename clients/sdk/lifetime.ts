/** A token is renewed when a fifth of its time is left. */
const USED_SHARE = 0.8

/** When to ask for another token, and when this one ends: milliseconds. */
export interface Lifetime {
  readonly renewAt: number
  readonly endsAt: number
}

/** @param from milliseconds @param duration seconds, as the service answers it */
export const lifetimeOf = (from: number, duration: number): Lifetime => ({
  renewAt: from + duration * 1_000 * USED_SHARE,
  endsAt: from + duration * 1_000,
})
