import type { Context } from '../context.ts'

/**
 * The decisions about a call that depend on its records, in addition to its permission. Each step throws the Refusal
 * ACTION_DENIED; a denied call neither stores nor returns anything.
 */
export interface Gate extends Pick<Context, 'about' | 'uses' | 'beforeEffects'> {
  /** Clears the records of a run that lost a race. */
  readonly restart: () => void
  /** @returns the reply, without the records of a list that the caller may not see */
  readonly settle: <R extends { readonly body: unknown }>(reply: R) => R
}

/** Used where no policy applies to the caller. */
export const OPEN: Gate = {
  restart: () => undefined,
  about: () => undefined,
  uses: () => undefined,
  beforeEffects: () => undefined,
  settle: (reply) => reply,
}
