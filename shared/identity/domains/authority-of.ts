import type { Load } from '../../base/room.ts'
import type { Context } from '../../http/context.ts'

declare module '../../base/room.ts' {
  interface RoomRow {
    readonly domainAuthorities?: Load<DomainAuthorities>
  }
}

/** Gives new domains a certificate authority of their own. */
export interface DomainAuthorities {
  /**
   * Stages that a new domain gets its authority, which is made after the commit, or by the sweeper.
   * @param parentId of the authority of the root domain that signs it; the oldest that is active without it
   * @returns id of that authority; `undefined` when there is none, and the domain gets none
   * @throws Refusal NOT_FOUND, STATE_CONFLICT for the parent, naming the field `parent_ca_id`
   */
  readonly plan: (
    context: Context,
    domain: { readonly id: string; readonly name: string },
    parentId: string | undefined,
  ) => Promise<string | undefined>
}
