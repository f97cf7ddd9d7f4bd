import type { EndpointQuery, LevelledEndpoints, Promised } from '../../levels/endpoints.ts'
import type { Context } from '../../http/context.ts'
import { isKeymgrAdmin } from '../../http/permission.ts'
import { listed } from '../../resource/listed.ts'
import { maySee } from './find-container.ts'
import type { ContainerKind, ContainerRow, StoredContainer } from './kind.ts'

interface Declared<R> extends Promised, Pick<LevelledEndpoints, 'protocol'> {
  /** name of the action that reads a container, in policies */
  readonly action: string
  /** whether the protocol serves a container of the kind, by its list row */
  readonly isServed: (row: R) => boolean
}

/** Containers that are endpoints: permissions on them decide who sees them. */
export function containerLevels<T extends StoredContainer, R extends ContainerRow & { readonly name: string }, S>(
  kind: ContainerKind<T, R, S>,
  { action, isServed, ...of }: Declared<R>,
): LevelledEndpoints {
  const { entity, nameOf } = kind
  const shown = (container: T) => ({ id: container.id, uri: container.uri, name: nameOf(container) })
  return {
    ...of,
    read: { action, may: 'keymgr-users' },
    has: async (domain, id) => (await entity.get(domain, id)) !== undefined,
    find: async ({ caller }: Context, id: string) => {
      const stored = await entity.get(caller.domain.id, id)
      const isSeen = stored !== undefined && isServed(entity.row(stored.item)) && maySee(kind, caller, stored.item)
      return isSeen ? shown(stored.item) : undefined
    },
    list: ({ caller }: Context, query: EndpointQuery) =>
      listed(entity, caller.domain.id, query, {
        served: 'all',
        patterns: { name: query.name },
        matches: (row) => isServed(row) && (isKeymgrAdmin(caller) || maySee(kind, caller, row)),
        present: ({ item }) => shown(item),
      }),
  }
}
