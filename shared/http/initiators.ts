import { extensionPoint } from '../base/extension-point.ts'
import type { Initiator } from './on-behalf.ts'

/** Why no work begins in the name of a user or client any more, as it follows that name. */
export type Lapse =
  | 'was deleted'
  | 'is disabled'
  | 'logs in by a connection that is disabled'
  | 'is no guest of this domain any more'
  | 'was revoked'
  | 'has expired'

/** The users in whose name work begins without a request. */
export interface InitiatorDirectory {
  /** An initiator with the name and groups of at most 5 seconds ago, or why nothing begins in their name. */
  readonly asOfNow: (initiator: Initiator, now: Date) => Promise<{ initiator: Initiator } | { lapse: Lapse }>
}

/** Filled with one row. */
export const initiators = extensionPoint<() => Promise<InitiatorDirectory>>('Initiators')

/** @throws Error, a fault, when the function does not load them */
export async function asOfNow(initiator: Initiator, now: Date): ReturnType<InitiatorDirectory['asOfNow']> {
  const [load] = initiators.rows()
  if (load === undefined) throw new Error('Initiators are kept somewhere')
  return (await load()).asOfNow(initiator, now)
}
