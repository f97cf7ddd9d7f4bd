import type { Load } from '../base/room.ts'
import type { Context } from '../http/context.ts'
import type { Single } from '../http/decisions.ts'
import type { ListQuery } from '../http/lists/list-query.ts'
import { listed, type ResourceList } from '../resource/listed.ts'
import type { Entity } from '../store/entity.ts'

declare module '../base/room.ts' {
  interface RoomRow {
    /** The endpoints of its data plane, with their service levels. */
    readonly levels?: Load<LevelledEndpoints>
  }
}

/** Time limit and objective of a protocol. */
export interface Promised {
  /** milliseconds after which a caller no longer waits */
  readonly limitMs: number
  /** share of calls, refusals aside, that are to be answered within the limit and without a fault of the service */
  readonly objective: number
}

export interface LevelledEndpoint {
  readonly id: string
  readonly uri: string
  readonly name: string
}

/** A list of endpoints: window, order and names. */
export interface EndpointQuery extends ListQuery {
  readonly name?: string[] | undefined
}

/** The endpoints of one protocol. */
export interface LevelledEndpoints extends Promised {
  readonly protocol: string
  /** the call that reads an endpoint; the same callers may read its service level */
  readonly read: Single
  /** Whether a domain has the endpoint. */
  readonly has: (domain: string, id: string) => Promise<boolean>
  /** An endpoint; `undefined` if the permissions of its record hide it from the caller. Policies are not applied. */
  readonly find: (context: Context, id: string) => Promise<LevelledEndpoint | undefined>
  /** The endpoints that the permissions of their records show to the caller. Policies are not applied. */
  readonly list: (context: Context, query: EndpointQuery) => Promise<ResourceList<LevelledEndpoint>>
}

/** The fields of an endpoint that service levels show. */
export const levelled = ({ id, uri, name }: LevelledEndpoint): LevelledEndpoint => ({ id, uri, name })

/** Endpoints that every administrator may read: their records have no permissions. */
export const levelsOf = <T extends LevelledEndpoint, R extends { readonly name: string }>({
  entity,
  action,
  ...of
}: Promised &
  Pick<LevelledEndpoints, 'protocol'> & {
    readonly entity: Entity<T, R>
    /** name of the action that reads an endpoint, in policies */
    readonly action: string
  }): LevelledEndpoints => ({
  ...of,
  read: { action, may: 'keymgr-admins' },
  has: async (domain, id) => (await entity.get(domain, id)) !== undefined,
  find: async ({ caller }, id) => {
    const stored = await entity.get(caller.domain.id, id)
    return stored && levelled(stored.item)
  },
  list: ({ caller }, query) =>
    listed<T, R, LevelledEndpoint>(entity, caller.domain.id, query, {
      served: 'all',
      patterns: { name: query.name },
      present: ({ item }) => levelled(item),
    }),
})
