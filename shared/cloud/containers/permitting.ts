import type { Caller } from '../../http/context.ts'
import type { Acl } from './acl-model.ts'
import type { Entity } from '../../store/entity.ts'
import { walk } from '../../store/list.ts'
import { may } from './acl.ts'

/** Ours: more containers than any caller works with; a caller with more must name some. */
const CONTAINERS_MOST = 10_000

/**
 * All containers of a kind in the caller's domain in which the caller may perform one of some actions. Reads the row of
 * every container. A damaged one is left out.
 * @param narrowBy a way to narrow the list, for the refusal
 * @throws Refusal RULE_BROKEN when there are too many containers to read
 */
export async function containersPermitting<T, R extends { readonly acls: readonly Acl[] }>(
  entity: Entity<T, R>,
  caller: Caller,
  actions: readonly string[],
  narrowBy: string,
): Promise<T[]> {
  const { items } = await walk(entity, caller.domain.id, {
    sets: ['all'],
    skip: 0,
    limit: CONTAINERS_MOST,
    matches: (row) => may(caller, row, ...actions),
    narrowBy,
    broken: 'leave out',
  })
  return items.map(({ item }) => item)
}
