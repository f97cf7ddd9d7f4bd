import type { Context } from '../../http/context.ts'
import { isPattern } from '../../http/lists/patterns.ts'
import { LOCAL_ACCOUNT, type User, type UserQuery } from './model.ts'
import type { Stored } from '../../store/entity.ts'
import { groups } from '../groups/store.ts'
import { users, type StoredUser } from './store.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import { presentUsers } from './present-user.ts'

/** Ids of the groups with these names, without missing ones. */
async function groupIdsOf(domain: string, names: readonly string[] | undefined): Promise<Set<string> | undefined> {
  if (names === undefined) return undefined
  const ids = await Promise.all([...new Set(names)].map((name) => groups.holder(domain, 'name', name)))
  return new Set(ids.filter((id) => id !== undefined))
}

/** The users with exactly these names; `undefined` if one of them is a pattern. */
async function usersNamed(
  domain: string,
  names: readonly string[] | undefined,
): Promise<Stored<StoredUser>[] | undefined> {
  if (names === undefined || names.some(isPattern)) return undefined
  const found = await Promise.all([...new Set(names)].map((name) => users.find(domain, 'username', name)))
  return found.filter((user) => user !== undefined)
}

/**
 * Users of the caller's domain, without guests. Ours: accounts do not expire, so `account_expired=true` matches no
 * user.
 */
export async function listUsers(context: Context, query: UserQuery): Promise<ResourceList<User>> {
  const domain = context.caller.domain.id
  const [wanted, unwanted, named] = await Promise.all([
    groupIdsOf(domain, query.groups),
    groupIdsOf(domain, query.exclude_groups),
    usersNamed(domain, query.username),
  ])
  const nobody = query.account_expired === true
  const show = query.return_groups === true ? 'with groups' : 'without groups'
  return listed(users, domain, query, {
    served: nobody || named ? [] : 'all',
    ...(named && !nobody && { extraItems: named }),
    ids: 'user',
    patterns: { name: query.name, username: query.username, email: query.email },
    matches: ({ group_ids, connection = LOCAL_ACCOUNT }) =>
      query.connection?.includes(connection) !== false &&
      (wanted === undefined || group_ids.some((id) => wanted.has(id))) &&
      !(unwanted !== undefined && group_ids.some((id) => unwanted.has(id))),
    matchesNarrows: query.connection !== undefined || wanted !== undefined || unwanted !== undefined,
    narrowBy: 'username, createdAfter or createdBefore',
    presentAll: (page) => presentUsers(context, domain, page, show),
  })
}
