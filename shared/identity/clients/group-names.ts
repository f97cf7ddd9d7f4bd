import { notThere, Refusal, ruleBroken } from '../../base/errors.ts'
import { hasGroup, type Caller, type Context } from '../../http/context.ts'
import { directory } from '../groups/directory.ts'
import { ADMIN_GROUP, ALL_CLIENTS, isSystemGroup } from '../groups/model.ts'

/** Ours: maximum number of groups of a profile, so that a registration fits into one transaction. */
export const GROUPS_MOST = 20

/**
 * Ours: only members of `admin` add machines to system groups, as for people.
 * @throws Refusal ACTION_DENIED
 */
export function assertMayGive(caller: Caller, names: Iterable<string>): void {
  if (hasGroup(caller, ADMIN_GROUP)) return
  for (const name of names)
    if (isSystemGroup(name))
      throw new Refusal('ACTION_DENIED', `Only members of admin decide which clients are in the group ${name}.`)
}

/**
 * Ids of the groups in a body.
 * @param held ids of the present groups, which may remain
 * @throws Refusal NOT_FOUND; RULE_BROKEN for the group of all clients; ACTION_DENIED
 */
export async function groupIdsNamed(
  { caller }: Pick<Context, 'caller'>,
  names: readonly string[],
  held: readonly string[] = [],
): Promise<string[]> {
  if (names.includes(ALL_CLIENTS)) throw ruleBroken('groups', `must not name ${ALL_CLIENTS}: every client is in it`)
  const domain = caller.domain.id
  const [ids, heldNames] = await Promise.all([directory.idsOf(domain, names), directory.namesOf(domain, held)])
  const missing = names.find((name) => !ids.has(name))
  if (missing !== undefined)
    throw notThere(`There is no group "${missing}".`, {
      pointer: `#/groups/${names.indexOf(missing)}`,
      detail: 'is no group of this domain',
    })
  const before = [...heldNames.values()]
  assertMayGive(caller, [
    ...names.filter((name) => !before.includes(name)),
    ...before.filter((name) => !names.includes(name)),
  ])
  return [...new Set(ids.values())]
}

/** Names of the groups with these ids, in the same order, without deleted ones. One read per 100 different ids. */
export async function groupNamesOf(domain: string, lists: readonly (readonly string[])[]): Promise<string[][]> {
  const names = await directory.namesOf(domain, [...new Set(lists.flat())])
  return lists.map((ids) => ids.flatMap((id) => names.get(id) ?? []))
}
