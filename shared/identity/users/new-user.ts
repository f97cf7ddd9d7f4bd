import { hashPassword } from '../../crypto/passwords.ts'
import { uuid } from '../../base/ids.ts'
import type { StoredLoginConnection } from '../connections/store.ts'
import type { PasswordPolicy } from '../password-policies/model.ts'
import { LOCAL_ACCOUNT, type CreateUser } from './model.ts'
import type { StoredUser } from './store.ts'
import { patched, without } from '../../base/fields.ts'
import { assertPassword, presentPolicy, UNCHANGED_GLOBAL_POLICY } from '../password-policies/rules.ts'

/**
 * Creates a user of the local store, not stored yet.
 * @throws Refusal RULE_BROKEN when the password breaks the policy, by default the initial one of a domain
 */
export async function newUser(
  body: CreateUser & { readonly password: string },
  groupIds: readonly string[],
  now: Date,
  policy: PasswordPolicy = presentPolicy(UNCHANGED_GLOBAL_POLICY),
): Promise<StoredUser> {
  const { password, username } = body
  await assertPassword(policy, password)
  const user: StoredUser = {
    ...emptyUser(username, now),
    connection: LOCAL_ACCOUNT,
    password_changed_at: now.toISOString(),
    group_ids: [...groupIds],
    password_hash: await hashPassword(password),
  }
  return patched(user, without(body, 'password', 'connection'))
}

/** A user of a connection, not stored yet; their external identity becomes known at their first log-in. */
export const newExternalUser = (
  body: Omit<CreateUser, 'password' | 'connection'>,
  { id, name, strategy }: Pick<StoredLoginConnection, 'id' | 'name' | 'strategy'>,
  now: Date,
): StoredUser =>
  patched<StoredUser>(
    {
      ...emptyUser(body.username, now),
      connection: name,
      connection_id: id,
      allowed_auth_methods: strategy === 'ldap' ? ['password'] : [], // for other strategies, no password is used
    },
    body,
  )

const emptyUser = (username: string, now: Date): Omit<StoredUser, 'connection'> => ({
  user_id: `local|${uuid(now)}`,
  username,
  is_domain_user: false,
  enabled: true,
  login_flags: { prevent_ui_login: false },
  allowed_auth_methods: ['password'],
  password_change_required: false,
  created_at: now.toISOString(),
  updated_at: now.toISOString(),
  group_ids: [],
  guest_in: [],
  password_history: [],
})
