import type { Context } from './context.ts'

/**
 * The decisions about a call that need its records, besides its permission. Each step throws the Refusal ACTION_DENIED;
 * a denied call stores and answers nothing.
 */
export interface Gate extends Pick<Context, 'about' | 'uses' | 'beforeEffects'> {
  /** Forgets the records of a run that lost a race. */
  readonly restart: () => void
  /** @returns the reply, without the records of a list that the caller may not see */
  readonly settle: <R extends { readonly body: unknown }>(reply: R) => R
}

/** Where no policy holds for the caller. */
export const OPEN: Gate = {
  restart: () => undefined,
  about: () => undefined,
  uses: () => undefined,
  beforeEffects: () => undefined,
  settle: (reply) => reply,
}
