import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import type { Acl } from './acl-model.ts'
import { cloudAKms } from '../../clouds/cloud-a/kms/store.ts'
import { cloudCProjects } from '../../clouds/cloud-c/projects/store.ts'
import { cloudCRings } from '../../clouds/cloud-c/rings/store.ts'
import type { Changes } from '../../store/changes.ts'
import type { Entity } from '../../store/entity.ts'
import { walk } from '../../store/list.ts'

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

/** Containers whose permissions name somebody. */
export interface AclEntries {
  /** how many there are; some of them at least can be changed */
  readonly total: number
  /** Stages what stands in place of each entry. */
  readonly stage: (changes: Changes, updatedAt: string, entriesOf: (acl: Acl) => Acl[]) => void
}

type Find = (domain: string, who: Principal) => Promise<AclEntries>

/** Those of one kind of container. */
const entriesIn =
  <T extends { acls: Acl[]; updatedAt: string }, R extends { acls: Acl[] }>(
    entity: Entity<T, R>,
    narrowBy: string,
  ): Find =>
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

/** A row for each kind of container with permissions. */
const KINDS: readonly Find[] = [
  entriesIn(cloudAKms, 'deleting KMS entries'),
  entriesIn(cloudCProjects, 'deleting projects'),
  entriesIn(cloudCRings, 'removing key rings'),
]

/** Containers of every kind whose permissions name somebody. */
export async function aclEntriesOf(domain: string, who: Principal): Promise<AclEntries> {
  const found = await Promise.all(KINDS.map((find) => find(domain, who)))
  return {
    total: found.reduce((sum, { total }) => sum + total, 0),
    stage: (...how) => {
      for (const { stage } of found) stage(...how)
    },
  }
}

/**
 * Stages that containers name somebody else in their permissions, or nobody.
 * @param found as `aclEntriesOf` has it
 * @throws Refusal IN_USE when they are more than `most`
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
      `${total} containers name ${who.user_id === undefined ? 'the group' : 'the user'} in their permissions, and at most ${most} are changed at once: take it out of others first.`,
    )
  stage(changes, now.toISOString(), entriesOf)
}

/** Stages that containers name somebody no more. @throws Refusal IN_USE when they are more than `most` */
export const withoutPrincipal = (
  context: Context,
  who: Principal,
  found: AclEntries,
  most = CONTAINERS_AT_ONCE,
): void => stageEntries(context, who, found, most, () => [])

/** Stages that a group's permissions stay its own under another name. @throws Refusal IN_USE when they are too many */
export async function renamePrincipal(context: Context, domain: string, from: string, to: string): Promise<void> {
  const who = { group: from }
  const found = await aclEntriesOf(domain, who)
  stageEntries(context, who, found, CONTAINERS_AT_ONCE, (acl) => [{ ...acl, group: to }])
}
