import { Refusal } from '../../base/errors.ts'
import { hasGroup, type Context } from '../../http/context.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import type { Stored } from '../../store/entity.ts'
import { groupsAsGuest } from '../groups/guests.ts'
import { ADMIN_GROUP, isSystemGroup } from '../groups/model.ts'
import { groups } from '../groups/store.ts'
import { assertMayManageUsers } from '../may-manage-users.ts'
import { findUser } from './find-user.ts'
import type { UpdateUser } from './model.ts'
import { heldGroupIds, type StoredUser } from './store.ts'

/** The user's existing groups, including those mapped from their connection. */
async function groupsOf(domain: string, user: StoredUser): Promise<{ id: string; name: string }[]> {
  return (await groups.getMany(domain, heldGroupIds(user))).map(({ item }) => item)
}

/** The fields that determine who can log in as a user. */
const LOGIN_FIELDS = [
  'enabled',
  'allowed_auth_methods',
  'certificate_subject_dn',
  'password_policy',
] as const satisfies readonly (keyof UpdateUser & keyof StoredUser)[]

/** Whether the body changes one of these fields; a present value changes nothing. */
const changesLogin = (user: StoredUser, body: UpdateUser): boolean =>
  body.password !== undefined ||
  LOGIN_FIELDS.some(
    (field) => body[field] !== undefined && JSON.stringify(body[field] ?? undefined) !== JSON.stringify(user[field]),
  )

/**
 * Ours: only administrators change and delete administrators, and only they change how a member of another system group
 * logs in. Otherwise, user administrators could set the password of a member and gain rights that they may not grant.
 * Groups in child domains count too: the password is the same.
 * @param takes whether the request deletes the user or changes how they log in
 * @throws Refusal ACTION_DENIED
 */
async function assertMayTouch(
  { caller }: Context,
  user: StoredUser,
  memberships: readonly { name: string }[],
  takes: boolean,
): Promise<void> {
  if (hasGroup(caller, ADMIN_GROUP)) return
  const all = [...memberships, ...(await groupsAsGuest(user))]
  if (all.some(({ name }) => name === ADMIN_GROUP))
    throw new Refusal('ACTION_DENIED', 'Members of the group admin are changed by members of admin only.')
  const held = takes ? all.find(({ name }) => isSystemGroup(name)) : undefined
  if (held)
    throw new Refusal(
      'ACTION_DENIED',
      `The user is a member of ${held.name}: only members of admin delete such a user or change how they log in. Users change their own password with PATCH /v1/auth/changepw.`,
    )
}

/**
 * A user that the caller may change or delete, with their groups here.
 * @param body the changes; absent for a deletion
 * @throws Refusal ACTION_DENIED, NOT_FOUND, VERSION_STALE
 */
export async function userToChange(
  context: Context,
  userId: string,
  body?: UpdateUser,
): Promise<{ stored: Stored<StoredUser>; memberships: { id: string; name: string }[] }> {
  await assertMayManageUsers(context)
  const stored = await findUser(context, userId)
  assertIfMatch(context, stored)
  const held = await groupsOf(context.caller.domain.id, stored.item)
  const takes = body === undefined || changesLogin(stored.item, body)
  await assertMayTouch(context, stored.item, held, takes)
  return { stored, memberships: held.filter(({ id }) => stored.item.group_ids.includes(id)) }
}
