import { hasGroup, type Context } from '../../http/context.ts'
import { assertNotGiven, Refusal, notThere } from '../../base/errors.ts'
import { resourceUri, ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { assertIfMatch } from '../../http/if-match.ts'
import { GLOBAL_POLICY, type PasswordPolicy } from '../password-policies/model.ts'
import { loginConnections } from '../connections/store.ts'
import { LOCAL_ACCOUNT, OF_LOCAL_ACCOUNTS, type CreateUser, type UpdateUser, type User } from './model.ts'
import type { Stored } from '../../store/entity.ts'
import { groups } from '../groups/store.ts'
import { forgetFailures, removeLogins } from './login-record.ts'
import { countMembers } from '../groups/member-count.ts'
import { passwordPolicies } from '../password-policies/store.ts'
import { heldGroupIds, users, type StoredUser } from './store.ts'
import { aclEntriesOf, CONTAINERS_AT_ONCE, withoutPrincipal, WRITES_PER_CONTAINER } from '../acl-entries.ts'
import { differences, patched, without } from '../../base/fields.ts'
import { groupsAsGuest, removeGuests } from '../groups/guests.ts'
import { ADMIN_GROUP, isSystemGroup } from '../groups/model.ts'
import { assertMayManageUsers } from '../may-manage-users.ts'
import { countWithConnection } from './connection-count.ts'
import { newExternalUser, newUser } from './new-user.ts'
import { presentUser } from './present-user.ts'
import { assertWayIn, subjectTaken, withSubject } from './ways-in.ts'
import { assertPassword, policyOf, setPassword } from '../password-policies/rules.ts'

/** The refusal of a value that another user of the domain has. */
const taken = (kind: string): Refusal => (kind === 'subject' ? subjectTaken() : usernameTaken())

const usernameTaken = (): Refusal =>
  new Refusal('NAME_TAKEN', 'There is a user of this name already.', {
    errors: [{ pointer: '#/username', detail: 'is taken' }],
  })

const uriOf = (domain: string, userId: string): string => resourceUri(domain, 'usermgmt', 'users', userId)

/** The audited fields of a user: no secrets, and none of the caller's free JSON. */
const AUDITED = [
  'name',
  'nickname',
  'email',
  'is_domain_user',
  'enabled',
  'login_flags',
  'allowed_auth_methods',
  'certificate_subject_dn',
  'password_change_required',
  'password_changed_at',
  'password_policy',
] as const satisfies readonly (keyof StoredUser)[]

/** @throws Refusal NOT_FOUND, also for a user of another domain */
async function findUser({ caller }: Context, userId: string): Promise<Stored<StoredUser>> {
  const stored = await users.get(caller.domain.id, userId)
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'There is no such user.')
  return stored
}

/** A user as shown. @throws Refusal NOT_FOUND */
export async function getUser(context: Context, userId: string): Promise<Stored<User>> {
  const stored = await findUser(context, userId)
  context.about({ uri: uriOf(context.caller.domain.id, userId), name: stored.item.username, record: stored.item })
  return shown(context, stored)
}

const shown = async (context: Context, stored: Stored<StoredUser>): Promise<Stored<User>> => ({
  item: await presentUser(context, context.caller.domain.id, stored),
  rev: stored.rev,
})

/**
 * Requires that the named policy exists until this request commits.
 * @throws Refusal NOT_FOUND naming the field
 */
async function relyOnPolicy({ caller, changes }: Context, name: string): Promise<void> {
  if (name === GLOBAL_POLICY) return
  const stored = await passwordPolicies.find(caller.domain.id, 'name', name)
  if (stored === undefined)
    throw notThere(`There is no password policy "${name}".`, {
      pointer: '#/password_policy',
      detail: 'is no password policy of this domain',
    })
  changes.rely(passwordPolicies, caller.domain.id, stored)
}

/** The user of a body, counted with the connection where it names one. @throws Refusal RULE_BROKEN, NOT_FOUND */
async function madeUser({ caller, changes, now }: Context, body: CreateUser): Promise<StoredUser> {
  const domain = caller.domain.id
  const { connection = LOCAL_ACCOUNT, password, ...fields } = body
  if (connection === LOCAL_ACCOUNT) {
    const policy = await policyOf(domain, patched<Pick<StoredUser, 'password_policy'>>({}, body))
    return newUser({ ...fields, password: password ?? '' }, [], now, policy)
  }
  const stored =
    (await loginConnections.find(domain, 'name', connection)) ?? (await loginConnections.get(domain, connection))
  if (stored === undefined)
    throw notThere(`There is no connection "${connection}".`, {
      pointer: '#/connection',
      detail: 'is no connection of this domain',
    })
  countWithConnection(changes, domain, stored)
  return newExternalUser(fields, stored.item, now)
}

/** @throws Refusal ACTION_DENIED, NAME_TAKEN, RULE_BROKEN for the password, NOT_FOUND for the policy or connection */
export async function createUser(context: Context, body: CreateUser): Promise<Stored<User>> {
  const { caller, changes } = context
  const domain = caller.domain.id
  await assertMayManageUsers(context)
  if (body.password_policy !== undefined) await relyOnPolicy(context, body.password_policy)
  if ((await users.holder(domain, 'username', body.username)) !== undefined) throw usernameTaken()
  const item = withSubject(await madeUser(context, { is_domain_user: domain !== ROOT_DOMAIN_ID, ...body }))
  assertWayIn(item, false)
  changes.create(users, domain, item, taken)
  context.about({ uri: uriOf(domain, item.user_id), name: item.username, after: differences({}, item, AUDITED).after })
  return shown(context, { item, rev: 1 })
}

/** The user's existing groups, also those by their connection. */
async function groupsOf(domain: string, user: StoredUser): Promise<{ id: string; name: string }[]> {
  return (await groups.getMany(domain, heldGroupIds(user))).map(({ item }) => item)
}

/** @throws Refusal RULE_BROKEN for a field that the user's connection decides */
function assertFieldsOf({ connection }: StoredUser, body: UpdateUser): void {
  if (connection !== LOCAL_ACCOUNT)
    assertNotGiven(body, OF_LOCAL_ACCOUNTS, {
      message: `The user logs in by the connection ${connection}, which decides how.`,
      detail: 'is for users whose password is kept here',
    })
}

/** The fields that decide who can log in as a user. */
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
 * logs in. User administrators could otherwise set the password of a member and so gain rights that they may not grant.
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
 * A user that the caller may change or delete, with the groups that they are a member of here.
 * @param body the changes; none to delete the user
 * @throws Refusal ACTION_DENIED, NOT_FOUND, VERSION_STALE
 */
async function userToChange(
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

async function withPassword(
  user: StoredUser,
  password: string | undefined,
  policy: PasswordPolicy,
  now: Date,
): Promise<StoredUser> {
  if (password === undefined) return user
  await assertPassword(policy, password, user)
  return setPassword(user, password, policy, now)
}

/**
 * Updates a user. A new password, another certificate subject, and disabling the user end the renewal of log-ins.
 * @throws Refusal ACTION_DENIED, NOT_FOUND, VERSION_STALE, NAME_TAKEN for the subject, RULE_BROKEN for the password and for
 * no way to log in, STATE_CONFLICT for the last administrator and for one without a password
 */
export async function updateUser(context: Context, userId: string, body: UpdateUser): Promise<Stored<User>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const { stored, memberships } = await userToChange(context, userId, body)
  assertFieldsOf(stored.item, body)
  if (typeof body.password_policy === 'string') await relyOnPolicy(context, body.password_policy)
  const changed = withSubject(patched(stored.item, without(body, 'password', 'failed_logins_count')))
  const administrators = memberships.find(({ name }) => name === ADMIN_GROUP)
  assertWayIn(changed, administrators !== undefined)
  const user: StoredUser = {
    ...(await withPassword(changed, body.password, await policyOf(domain, changed), now)),
    ...((!changed.enabled || changed.subject_key !== stored.item.subject_key) && {
      refresh_not_before: now.toISOString(),
    }),
    updated_at: now.toISOString(),
  }
  if (administrators && user.enabled !== stored.item.enabled)
    countMembers(changes, domain, administrators.id, { users: 0, enabled: user.enabled ? 1 : -1 })
  if (body.failed_logins_count === 0) forgetFailures(changes, domain, userId)
  changes.update(users, domain, stored, user, taken)
  context.about({
    uri: uriOf(domain, userId),
    name: user.username,
    ...differences(stored.item, user, AUDITED),
    record: stored.item,
  })
  const { item, rev } = await shown(context, { item: user, rev: stored.rev + 1 })
  return { item: body.failed_logins_count === 0 ? unlocked(item) : item, rev }
}

/** The user as shown once this request is committed. */
const unlocked = (user: User): User => ({ ...without(user, 'account_lockout_at'), failed_logins_count: 0 })

/** Ours: the writes that one transaction has room for beside the user's record and the audit record. */
const BELONGINGS_WRITES_MOST = 80

/**
 * Removes a user's permissions on containers, in its own domain and where it is or was a guest. Ids are never reused,
 * so a permission granted at this very moment is left without a holder.
 * @param room number of writes left
 * @throws Refusal IN_USE when it takes more
 */
async function removePermissions(
  context: Context,
  domain: string,
  { user_id, guest_in }: StoredUser,
  room: number,
): Promise<void> {
  let most = Math.min(CONTAINERS_AT_ONCE, Math.floor(room / WRITES_PER_CONTAINER))
  for (const place of [domain, ...guest_in]) {
    const found = await aclEntriesOf(place, { user_id })
    withoutPrincipal(context, { user_id }, found, most)
    most -= found.total
  }
}

/**
 * Deletes a user with their memberships, guest memberships, permissions on containers and login record. Their log-ins
 * cannot be renewed because the user is gone.
 * @throws Refusal ACTION_DENIED, NOT_FOUND, VERSION_STALE, STATE_CONFLICT for the last administrator, IN_USE for an
 * administrator of a child domain, and for a user with permissions on too many containers
 */
export async function deleteUser(context: Context, userId: string): Promise<void> {
  const { caller, changes } = context
  const domain = caller.domain.id
  const { stored, memberships } = await userToChange(context, userId)
  const guestWrites = await removeGuests(changes, stored.item)
  await removePermissions(context, domain, stored.item, BELONGINGS_WRITES_MOST - guestWrites - memberships.length)
  for (const { id, name } of memberships)
    countMembers(changes, domain, id, {
      users: -1,
      ...(name === ADMIN_GROUP && stored.item.enabled && { enabled: -1 }),
    })
  const { connection_id } = stored.item
  if (connection_id !== undefined) countMembers(changes, domain, connection_id, { users: -1 })
  removeLogins(changes, domain, userId)
  changes.remove(users, domain, stored)
  context.about({ uri: uriOf(domain, userId), name: stored.item.username, record: stored.item })
}
