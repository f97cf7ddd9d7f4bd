import type { Context } from '../../context.ts'
import { Refusal } from '../../errors.ts'
import type { Acl } from '../../model/acl.ts'
import { cloudAKms, type StoredCloudAKms } from '../../store/cloud-a-kms.ts'
import type { Stored } from '../../store/entity.ts'
import { walk, type Listed } from '../../store/list.ts'

/** A user or a group of a domain, as its containers name them in their permissions. */
type Principal = Pick<Acl, 'user_id' | 'group'>

/** Ours: containers that are changed in one transaction. */
export const CONTAINERS_AT_ONCE = 20
/** A container's item and its row. */
export const WRITES_PER_CONTAINER = 2

const isOf =
  ({ user_id, group }: Principal) =>
  (acl: Acl): boolean =>
    acl.user_id === user_id && acl.group === group

/** Containers whose permissions name somebody: how many, and the first of them. */
export const aclEntriesOf = (domain: string, who: Principal): Promise<Listed<Stored<StoredCloudAKms>>> =>
  walk(cloudAKms, domain, {
    sets: ['all'],
    skip: 0,
    limit: CONTAINERS_AT_ONCE,
    matches: ({ acls }) => acls.some(isOf(who)),
    narrowBy: 'deleting KMS entries',
  })

/**
 * Stages that containers name somebody else in their permissions, or nobody.
 * @param found as `aclEntriesOf` has it
 * @throws Refusal IN_USE when they are more than `most`
 */
function stageEntries(
  { changes, now }: Context,
  domain: string,
  who: Principal,
  { total, items }: Listed<Stored<StoredCloudAKms>>,
  most: number,
  entriesOf: (acl: Acl) => Acl[],
): void {
  if (total > most)
    throw new Refusal(
      'IN_USE',
      `${total} containers name ${who.user_id === undefined ? 'the group' : 'the user'} in their permissions, and at most ${most} are changed at once: take it out of others first.`,
    )
  const updatedAt = now.toISOString()
  for (const stored of items) {
    const acls = stored.item.acls.flatMap((acl) => (isOf(who)(acl) ? entriesOf(acl) : [acl]))
    changes.update(cloudAKms, domain, stored, { ...stored.item, acls, updatedAt })
  }
}

/** Stages that containers name somebody no more. @throws Refusal IN_USE when they are more than `most` */
export const withoutPrincipal = (
  context: Context,
  domain: string,
  who: Principal,
  found: Listed<Stored<StoredCloudAKms>>,
  most = CONTAINERS_AT_ONCE,
): void => stageEntries(context, domain, who, found, most, () => [])

/** Stages that a group's permissions stay its own under another name. @throws Refusal IN_USE when they are too many */
export async function renamePrincipal(context: Context, domain: string, from: string, to: string): Promise<void> {
  const who = { group: from }
  const found = await aclEntriesOf(domain, who)
  stageEntries(context, domain, who, found, CONTAINERS_AT_ONCE, (acl) => [{ ...acl, group: to }])
}
