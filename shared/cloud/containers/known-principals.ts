import { Refusal, type BrokenField } from '../../base/errors.ts'
import type { Acl, AclChange, UpdateAcls } from './acl-model.ts'
import { groups, guests } from '../../identity/groups/store.ts'
import { users } from '../../identity/users/store.ts'

/** The given user ids that are users of the domain or guests in it. */
async function knownUsers(domain: string, ids: readonly string[]): Promise<Set<string>> {
  const [own, visiting] = await Promise.all([
    users.getMany(domain, ids, 'leave out'),
    guests.getMany(domain, ids, 'leave out'),
  ])
  return new Set([...own, ...visiting].map(({ item }) => item.user_id))
}

async function knownGroups(domain: string, names: readonly string[]): Promise<Set<string>> {
  const held = await Promise.all(names.map(async (name) => ({ name, id: await groups.holder(domain, 'name', name) })))
  return new Set(held.filter(({ id }) => id !== undefined).map(({ name }) => name))
}

const distinct = (values: readonly (string | undefined)[]): string[] => [
  ...new Set(values.filter((value) => value !== undefined)),
]

/** A user or group that the domain no longer has can still be removed from a list. */
const isTakenOut = (acls: readonly Acl[], { permit, user_id, group }: AclChange): boolean =>
  !permit && acls.some((acl) => acl.user_id === user_id && acl.group === group)

/** @throws Refusal NOT_FOUND pointing at every user and group that does not exist */
export async function assertThere(domain: string, acls: readonly Acl[], { acls: changes }: UpdateAcls): Promise<void> {
  const [ids, names] = await Promise.all([
    knownUsers(domain, distinct(changes.map(({ user_id }) => user_id))),
    knownGroups(domain, distinct(changes.map(({ group }) => group))),
  ])
  const errors = changes.flatMap((change, at): BrokenField[] => {
    const { user_id, group } = change
    if (isTakenOut(acls, change)) return []
    if (user_id !== undefined && !ids.has(user_id))
      return [{ pointer: `#/acls/${at}/user_id`, detail: 'is no user of this domain' }]
    if (group !== undefined && !names.has(group))
      return [{ pointer: `#/acls/${at}/group`, detail: 'is no group of this domain' }]
    return []
  })
  if (errors.length > 0) throw new Refusal('NOT_FOUND', 'Not every user and group is there.', { errors })
}
