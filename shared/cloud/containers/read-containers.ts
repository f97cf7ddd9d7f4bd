import type { Context } from '../../http/context.ts'
import { fieldTests, listed, type ResourceList } from '../../resource/listed.ts'
import type { ListQuery } from '../../http/lists/list-query.ts'
import type { Stored } from '../../store/entity.ts'
import { isKeymgrAdmin } from '../../http/permission.ts'
import { findContainer, maySee } from './find-container.ts'
import { presented, type ContainerKind, type ContainerRow, type StoredContainer } from './kind.ts'

/** @throws Refusal NOT_FOUND, also for a container that the caller may not see */
export const getContainer = async <T extends StoredContainer, R extends ContainerRow, S>(
  kind: ContainerKind<T, R, S>,
  context: Pick<Context, 'caller'>,
  id: string,
): Promise<Stored<S>> => presented(kind, await findContainer(kind, context, id))

/** Filters that every list of containers has. */
export interface ContainerQuery extends ListQuery {
  readonly id?: string[] | undefined
  readonly name?: string[] | undefined
  /** names or ids of connections */
  readonly connection?: string[] | undefined
}

/** The containers that the caller may see. The other filters match the fields of the same names. */
export function listContainers<T extends StoredContainer, R extends ContainerRow & { id: string; name: string }, S>(
  kind: ContainerKind<T, R, S>,
  { caller }: Pick<Context, 'caller'>,
  query: ContainerQuery,
): Promise<ResourceList<S>> {
  const tests: ((row: R) => boolean)[] = fieldTests(query, ['name', 'connection'])
  if (!isKeymgrAdmin(caller)) tests.push((row) => maySee(kind, caller, row))
  const { connection: wanted } = query
  if (wanted !== undefined)
    tests.push(({ connection, connection_id }) =>
      [connection, connection_id].some((one) => one !== undefined && wanted.includes(one)),
    )
  return listed<T, R, S>(kind.entity, caller.domain.id, query, {
    served: 'all',
    patterns: { name: query.name },
    matches: (row) => tests.every((test) => test(row)),
    matchesNarrows: tests.length > 0,
    present: ({ item }) => kind.present(item),
  })
}
