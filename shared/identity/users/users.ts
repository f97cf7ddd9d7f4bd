import type { Context } from '../../http/context.ts'
import { assertNotGiven, Refusal, notThere } from '../../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { GLOBAL_POLICY, type PasswordPolicy } from '../password-policies/model.ts'
import { loginConnections } from '../connections/store.ts'
import { LOCAL_ACCOUNT, OF_LOCAL_ACCOUNTS, type CreateUser, type UpdateUser, type User } from './model.ts'
import type { Stored } from '../../store/entity.ts'
import { forgetFailures } from './login-record.ts'
import { countMembers } from '../groups/member-count.ts'
import { passwordPolicies } from '../password-policies/store.ts'
import { users, type StoredUser } from './store.ts'
import { differences, patched, without } from '../../base/fields.ts'
import { ADMIN_GROUP } from '../groups/model.ts'
import { assertMayManageUsers } from '../may-manage-users.ts'
import { assertPassword, policyOf, setPassword } from '../password-policies/rules.ts'
import { countWithConnection } from './connection-count.ts'
import { findUser, uriOf } from './find-user.ts'
import { newExternalUser, newUser } from './new-user.ts'
import { presentUser } from './present-user.ts'
import { userToChange } from './user-to-change.ts'
import { assertWayIn, subjectTaken, withSubject } from './ways-in.ts'

/** The refusal of a value that another user of the domain has. */
const taken = (kind: string): Refusal => (TAKEN[kind] ?? usernameTaken)()

const externalTaken = (): Refusal =>
  new Refusal('NAME_TAKEN', 'A user of the connection has this external_id already.', {
    errors: [{ pointer: '#/external_id', detail: 'is taken' }],
  })

const usernameTaken = (): Refusal =>
  new Refusal('NAME_TAKEN', 'There is a user of this name already.', {
    errors: [{ pointer: '#/username', detail: 'is taken' }],
  })

const TAKEN: Readonly<Record<string, () => Refusal>> = { subject: subjectTaken, external: externalTaken }

/** The audited fields of a user, without secrets and the caller's free JSON. */
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
  'external_id',
] as const satisfies readonly (keyof StoredUser)[]

/** A user in the form of answers. @throws Refusal NOT_FOUND */
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
 * @throws Refusal NOT_FOUND that names the field
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

/** The user of a body, counted with the connection if it names one. @throws Refusal RULE_BROKEN, NOT_FOUND */
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

/** @throws Refusal RULE_BROKEN for a field that the user's connection determines */
function assertFieldsOf({ connection }: StoredUser, body: UpdateUser): void {
  if (connection !== LOCAL_ACCOUNT)
    assertNotGiven(body, OF_LOCAL_ACCOUNTS, {
      message: `The user logs in by the connection ${connection}, which decides how.`,
      detail: 'is for users whose password is kept here',
    })
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
 * @throws Refusal ACTION_DENIED, NOT_FOUND, VERSION_STALE, NAME_TAKEN for the subject, RULE_BROKEN for the password and
 * if no way to log in would remain, STATE_CONFLICT for the last administrator and for one without a password
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

/** The user in the answer, after this request is committed. */
const unlocked = (user: User): User => ({ ...without(user, 'account_lockout_at'), failed_logins_count: 0 })
