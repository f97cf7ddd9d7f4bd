import type { Call } from './call.ts'
import type { Subject } from './context.ts'
import type { Reply, Route } from './operation.ts'

/** A record that a call is about to make at a cloud: the type in its uri, and its id. */
export interface ToBeMade {
  readonly type: string
  readonly id: string
}

/**
 * What is decided about a call once its records are known, besides its permission. Each step throws the Refusal
 * ACTION_DENIED; nothing of a denied call is stored or answered.
 */
export interface Gate {
  /** Forgets the records of a run that lost a race. */
  readonly restart: () => void
  /** A record that the call is about, as it is before the call. */
  readonly about: (subject: Subject) => void
  /** Another action that the call comes to, on a record of its own: it encrypts with a wrapping key. */
  readonly uses: (action: string, record: Readonly<{ uri: string }>) => void
  /** The call is about to do what cannot be taken back with its changes. What it answers is not decided again. */
  readonly beforeEffects: (made?: ToBeMade) => void
  /** @returns the reply, without the records of a list that the caller may not see */
  readonly settle: (reply: Reply) => Reply
}

/** Where no policy holds for the caller. */
export const OPEN: Gate = {
  restart: () => undefined,
  about: () => undefined,
  uses: () => undefined,
  beforeEffects: () => undefined,
  settle: (reply) => reply,
}

/** Decides whether a caller may make a call, as far as that can be told from its route. @throws Refusal ACTION_DENIED */
export type Admit = (call: Call, route: Route) => Promise<Gate>
