import { notThere, Refusal } from '../base/errors.ts'
import { resourceUri, ROOT_DOMAIN_ID } from '../base/ids.ts'
import { operatorRecord } from '../http/audit/record.ts'
import { auditRecords } from '../http/audit/store.ts'
import { Changes } from '../store/changes.ts'
import type { Stored } from '../store/entity.ts'
import { ADMINISTRATOR } from './bootstrap.ts'
import { generatePassword } from './generated-password.ts'
import { countMembers } from './groups/member-count.ts'
import { ADMIN_GROUP } from './groups/model.ts'
import { groups } from './groups/store.ts'
import { policyOf, setPassword } from './password-policies/rules.ts'
import { forgetFailures } from './users/login-record.ts'
import { users, type StoredUser } from './users/store.ts'

export interface Recovered {
  readonly administrator: string
  /** returned only once; it must be changed at the next log-in */
  readonly generated_password: string
}

/** @throws Refusal NOT_FOUND, RULE_BROKEN for a user who is not an administrator of the root domain */
async function findAdministrator(username: string): Promise<{ stored: Stored<StoredUser>; group: string }> {
  const stored = await users.find(ROOT_DOMAIN_ID, 'username', username)
  if (stored === undefined) throw notThere(`The root domain has no user ${username}.`)
  if (stored.item.connection_id !== undefined)
    throw new Refusal('RULE_BROKEN', `${username} logs in by the connection ${stored.item.connection}.`)
  const memberships = await groups.getMany(ROOT_DOMAIN_ID, stored.item.group_ids)
  const group = memberships.find(({ item: { name } }) => name === ADMIN_GROUP)
  if (group === undefined) throw new Refusal('RULE_BROKEN', `${username} is no member of the group ${ADMIN_GROUP}.`)
  return { stored, group: group.item.id }
}

/**
 * Sets a new password for an administrator of the root domain, and allows that user to log in with it: enabled,
 * unlocked, with the method `password`. Previous log-ins cannot be renewed. Ours: the password is not checked against
 * the password policy, which may be the reason why no one can log in; it must be changed at the next log-in.
 * @throws Refusal NOT_FOUND, RULE_BROKEN for a user who is not an administrator of the root domain; Stale when the user
 * was
 *   changed at the same moment
 */
export async function recoverAdministrator(now: Date, username = ADMINISTRATOR): Promise<Recovered> {
  const { stored, group } = await findAdministrator(username)
  const { item: before } = stored
  const password = generatePassword()
  const after: StoredUser = {
    ...(await setPassword(before, password, await policyOf(ROOT_DOMAIN_ID, before), now)),
    enabled: true,
    password_change_required: true,
    allowed_auth_methods: [...new Set([...before.allowed_auth_methods, 'password' as const])],
  }
  const changes = new Changes()
  changes.update(users, ROOT_DOMAIN_ID, stored, after)
  if (!before.enabled) countMembers(changes, ROOT_DOMAIN_ID, group, { users: 0, enabled: 1 })
  forgetFailures(changes, ROOT_DOMAIN_ID, before.user_id)
  const record = operatorRecord(ROOT_DOMAIN_ID, now, {
    service: 'usermgmt',
    message: 'Recover Administrator',
    details: {
      action: 'recover-administrator',
      resource_uri: resourceUri(ROOT_DOMAIN_ID, 'usermgmt', 'users', before.user_id),
      resource_name: username,
    },
  })
  changes.create(auditRecords, ROOT_DOMAIN_ID, record)
  await changes.commit(now)
  return { administrator: username, generated_password: password }
}
