import type { AnswerOf } from '../../sdk/calls.ts'
import { callTo, type Call } from '../calls.ts'
import type { Action } from '../forms/actions.tsx'
import { changesOf, filledFrom } from '../forms/changes.ts'
import type { FieldRow } from '../forms/fields.ts'
import { firstOf, read } from '../service.ts'
import type { Use } from '../clouds/uses.ts'

export type User = AnswerOf<'get', '/v1/usermgmt/users/{user_id}'>
export type Group = AnswerOf<'get', '/v1/usermgmt/groups/{name}'>

const NAMED_MOST = 5

/** The groups of a user. */
async function groupsOf({ user_id: users }: User, signal: AbortSignal): Promise<readonly Use[]> {
  const { total, resources } = await read('/v1/usermgmt/groups', { query: { users, limit: NAMED_MOST }, signal })
  const names = resources.map(({ name }) => name)
  return total === 0 ? [] : [{ kind: 'group', count: total, names, effect: 'lose the user' }]
}

const PASSWORD: FieldRow = {
  ...{ name: 'password', label: 'Password', kind: 'secret', isRequired: true },
  hint: 'By the password policy of the user. It is not shown, not even in the call.',
}
const MUST_CHANGE: FieldRow = {
  ...{ name: 'password_change_required', label: 'The user changes it at the next log-in', kind: 'flag' },
  initial: 'true',
}
const policies = async () =>
  (await firstOf('/v1/usermgmt/pwdpolicies')).resources.map(({ policy_name }) => ({
    value: policy_name,
  }))

const ABOUT: readonly FieldRow[] = [
  { name: 'name', label: 'Full name' },
  { name: 'email', label: 'E-mail' },
  { name: 'password_policy', label: 'Password policy', choices: policies },
  { name: 'login_flags/prevent_ui_login', label: 'May not log in to pages', kind: 'flag' },
]

export const NEW_USER: readonly FieldRow[] = [
  { name: 'username', label: 'User name', isRequired: true },
  PASSWORD,
  MUST_CHANGE,
  ...ABOUT,
]

const change = ({ user_id }: User, body: Record<string, unknown>): Call =>
  callTo('patch', '/v1/usermgmt/users/{user_id}', { path: { user_id }, body })

export const isLocked = ({ account_lockout_at, failed_logins_count }: User): boolean =>
  account_lockout_at !== undefined && failed_logins_count > 0

export const USER_ACTIONS: readonly Action<User>[] = [
  {
    ...{ name: 'edit', title: 'Edit', submit: 'Save', done: 'The user is changed.' },
    about: 'Changes what is known of the user.',
    fieldsFor: (user) => filledFrom(ABOUT, user),
    applies: () => true,
    call: (user, body) => change(user, changesOf(filledFrom(ABOUT, user), body)),
  },
  {
    ...{ name: 'password', title: 'Reset the password', done: 'The user has the new password.' },
    about: 'Sets another password.',
    fields: [PASSWORD, MUST_CHANGE],
    applies: ({ connection }) => connection === 'local_account',
    // Without the flag, the service would keep its present value.
    call: (user, body) => change(user, { password_change_required: false, ...body }),
  },
  {
    ...{ name: 'unlock', title: 'Unlock', done: 'The user may log in again.' },
    about: 'Forgets the log-ins that failed.',
    applies: isLocked,
    call: (user) => change(user, { failed_logins_count: 0 }),
  },
  {
    ...{ name: 'enable', title: 'Enable', done: 'The user may log in.' },
    about: 'Lets the user log in.',
    applies: ({ enabled }) => !enabled,
    call: (user) => change(user, { enabled: true }),
  },
  {
    ...{ name: 'disable', title: 'Disable', done: 'The user cannot log in.', isDangerous: true },
    about: 'The user cannot log in, and tokens given before are refused.',
    applies: ({ enabled }) => enabled,
    call: (user) => change(user, { enabled: false }),
  },
  {
    ...{ name: 'delete', title: 'Delete', done: 'The user is deleted.' },
    about: 'Removes the user. What the user did stays in the audit log.',
    ends: { nameOf: ({ username }) => username, uses: groupsOf },
    applies: () => true,
    call: ({ user_id }) => callTo('delete', '/v1/usermgmt/users/{user_id}', { path: { user_id } }),
  },
]

export const NEW_GROUP: readonly FieldRow[] = [
  { name: 'name', label: 'Name', isRequired: true },
  { name: 'description', label: 'Description' },
]

/** The members of a group. */
async function membersOf({ name }: Group, signal: AbortSignal): Promise<readonly Use[]> {
  const { total, resources } = await read('/v1/usermgmt/users', { query: { groups: name, limit: NAMED_MOST }, signal })
  const names = resources.map(({ username }) => username)
  return total === 0 ? [] : [{ kind: 'member', count: total, names, effect: 'lose what the group lets them do' }]
}

export const GROUP_ACTIONS: readonly Action<Group>[] = [
  {
    ...{ name: 'edit', title: 'Edit', submit: 'Save', done: 'The group is changed.' },
    about: 'Changes the name or the description.',
    fieldsFor: (group) => filledFrom(NEW_GROUP, group),
    applies: () => true,
    call: (group, body) =>
      callTo('patch', '/v1/usermgmt/groups/{name}', {
        path: { name: group.name },
        body: changesOf(filledFrom(NEW_GROUP, group), body),
      }),
  },
  {
    ...{ name: 'delete', title: 'Delete', done: 'The group is deleted.' },
    about: 'Removes the group. Its members stay, without what it let them do.',
    fields: [{ name: 'force', label: 'Also when it has members', kind: 'flag' }],
    ends: { nameOf: ({ name }) => name, uses: membersOf },
    applies: () => true,
    call: ({ name }, { force }) =>
      callTo('delete', '/v1/usermgmt/groups/{name}', { path: { name }, ...(force === true && { query: { force } }) }),
  },
]

/** Adds a user to a group. */
export const join = (name: string, user_id: string): Call =>
  callTo('post', '/v1/usermgmt/groups/{name}/users/{user_id}', { path: { name, user_id } })

/** Takes a user out of a group. */
export const leave = (name: string, user_id: string): Call =>
  callTo('delete', '/v1/usermgmt/groups/{name}/users/{user_id}', { path: { name, user_id } })
