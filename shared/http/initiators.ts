import { onlyOf, type Load } from '../base/room.ts'
import type { Initiator } from './on-behalf.ts'

declare module '../base/room.ts' {
  interface RoomRow {
    readonly initiators?: Load<InitiatorDirectory>
  }
}

/** Why no work is started any more on behalf of a user or client; the text follows the name. */
export type Lapse =
  | 'was deleted'
  | 'is disabled'
  | 'logs in by a connection that is disabled'
  | 'is no guest of this domain any more'
  | 'was revoked'
  | 'has expired'

/** The users on whose behalf work starts without a request. */
export interface InitiatorDirectory {
  /**
   * An initiator with the name and groups of at most 5 seconds ago, or the reason why no work is started on their
   * behalf.
   */
  readonly asOfNow: (initiator: Initiator, now: Date) => Promise<{ initiator: Initiator } | { lapse: Lapse }>
}

/** @throws Error, a fault, when the function does not load them */
export async function asOfNow(initiator: Initiator, now: Date): ReturnType<InitiatorDirectory['asOfNow']> {
  return (await onlyOf('initiators')).asOfNow(initiator, now)
}
