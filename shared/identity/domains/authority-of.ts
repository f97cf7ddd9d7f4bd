import type { Load } from '../../base/room.ts'
import type { Context } from '../../http/context.ts'

declare module '../../base/room.ts' {
  interface RoomRow {
    readonly domainAuthorities?: Load<DomainAuthorities>
  }
}

/** Creates certificate authorities for new domains. */
export interface DomainAuthorities {
  /**
   * Stages the creation of a new domain's authority, after the commit or by the sweeper.
   * @param parentId the signing authority in the root domain; default: the oldest active one
   * @returns id of that authority; `undefined` when there is none, and the domain gets none
   * @throws Refusal NOT_FOUND, STATE_CONFLICT for the parent, naming the field `parent_ca_id`
   */
  readonly plan: (
    context: Context,
    domain: { readonly id: string; readonly name: string },
    parentId: string | undefined,
  ) => Promise<string | undefined>
}
