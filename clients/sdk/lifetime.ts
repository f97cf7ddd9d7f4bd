/** A token is renewed when a fifth of its lifetime is left. */
const USED_SHARE = 0.8

/** Renewal time and expiry of a token, in milliseconds. */
export interface Lifetime {
  readonly renewAt: number
  readonly endsAt: number
}

/** @param from milliseconds @param duration seconds, as the service returns it */
export const lifetimeOf = (from: number, duration: number): Lifetime => ({
  renewAt: from + duration * 1_000 * USED_SHARE,
  endsAt: from + duration * 1_000,
})
