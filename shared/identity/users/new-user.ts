import { hashPassword } from '../../crypto/passwords.ts'
import { uuid } from '../../base/ids.ts'
import type { PasswordPolicy } from '../password-policies/model.ts'
import type { CreateUser } from './model.ts'
import type { StoredUser } from './store.ts'
import { patched, without } from '../../base/fields.ts'
import { assertPassword, presentPolicy, UNCHANGED_GLOBAL_POLICY } from '../password-policies/rules.ts'

/**
 * Makes a user of the local store, not stored yet.
 * @throws Refusal RULE_BROKEN when the password breaks the policy, by default the initial one of a domain
 */
export async function newUser(
  body: CreateUser,
  groupIds: readonly string[],
  now: Date,
  policy: PasswordPolicy = presentPolicy(UNCHANGED_GLOBAL_POLICY),
): Promise<StoredUser> {
  const { password, username } = body
  await assertPassword(policy, password)
  const at = now.toISOString()
  const user: StoredUser = {
    user_id: `local|${uuid(now)}`,
    username,
    connection: 'local_account',
    is_domain_user: false,
    enabled: true,
    login_flags: { prevent_ui_login: false },
    allowed_auth_methods: ['password'],
    password_change_required: false,
    password_changed_at: at,
    created_at: at,
    updated_at: at,
    group_ids: [...groupIds],
    guest_in: [],
    password_hash: await hashPassword(password),
    password_history: [],
  }
  return patched(user, without(body, 'password', 'connection'))
}
