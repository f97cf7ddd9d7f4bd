import type { Context } from '../http/context.ts'
import { counted } from '../base/counted.ts'
import { Refusal } from '../base/errors.ts'
import type { Entity } from '../store/entity.ts'
import { loadedOf } from '../base/room.ts'
import { walk } from '../store/list.ts'
import type { Acl, AclEntries, AclHolder, Principal } from './acl-holders.ts'

/** Ours: maximum number of containers that one transaction changes. */
export const CONTAINERS_AT_ONCE = 20
/** Writes for a container: its item and its row. */
export const WRITES_PER_CONTAINER = 2

const isOf =
  ({ user_id, group }: Principal) =>
  (acl: Acl): boolean =>
    acl.user_id === user_id && acl.group === group

/**
 * Finds and changes the records of one entity that name a user or group. @param narrowBy remedy in a refusal: `deleting
 * KMS entries`
 */
export const aclHolder =
  <T extends { acls: Acl[]; updatedAt: string }, R extends { acls: Acl[] }>(
    entity: Entity<T, R>,
    narrowBy: string,
  ): AclHolder =>
  async (domain, who) => {
    const { total, items } = await walk(entity, domain, {
      sets: ['all'],
      skip: 0,
      limit: CONTAINERS_AT_ONCE,
      matches: ({ acls }) => acls.some(isOf(who)),
      narrowBy,
    })
    return {
      total,
      stage: (changes, updatedAt, entriesOf) => {
        for (const stored of items) {
          const acls = stored.item.acls.flatMap((acl) => (isOf(who)(acl) ? entriesOf(acl) : [acl]))
          changes.update(entity, domain, stored, { ...stored.item, acls, updatedAt })
        }
      },
    }
  }

/** Containers of every kind whose permissions name a user or group. */
export async function aclEntriesOf(domain: string, who: Principal): Promise<AclEntries> {
  const holders = (await loadedOf('aclHolders')).flat()
  const found = await Promise.all(holders.map((find) => find(domain, who)))
  return {
    total: found.reduce((sum, { total }) => sum + total, 0),
    stage: (...how) => {
      for (const { stage } of found) stage(...how)
    },
  }
}

/**
 * Stages that permissions of containers name another user or group, or none.
 * @param found from `aclEntriesOf`
 * @throws Refusal IN_USE for more than `most` containers
 */
function stageEntries(
  { changes, now }: Context,
  who: Principal,
  { total, stage }: AclEntries,
  most: number,
  entriesOf: (acl: Acl) => Acl[],
): void {
  if (total > most)
    throw new Refusal(
      'IN_USE',
      `${counted(total, 'container names', 'containers name')} ${who.user_id === undefined ? 'the group' : 'the user'} in their permissions, and at most ${most} are changed at once: take it out of others first.`,
    )
  stage(changes, now.toISOString(), entriesOf)
}

/** Stages that containers no longer name a user or group. @throws Refusal IN_USE for more than `most` containers */
export const withoutPrincipal = (
  context: Context,
  who: Principal,
  found: AclEntries,
  most = CONTAINERS_AT_ONCE,
): void => stageEntries(context, who, found, most, () => [])

/** Stages that a group keeps its permissions under another name. @throws Refusal IN_USE for too many containers */
export async function renamePrincipal(context: Context, domain: string, from: string, to: string): Promise<void> {
  const who = { group: from }
  const found = await aclEntriesOf(domain, who)
  stageEntries(context, who, found, CONTAINERS_AT_ONCE, (acl) => [{ ...acl, group: to }])
}
