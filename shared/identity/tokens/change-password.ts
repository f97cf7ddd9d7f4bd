import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { resourceUri } from '../../base/ids.ts'
import type { ChangePassword } from './model.ts'
import { relyOnFailures } from '../users/login-record.ts'
import { users } from '../users/store.ts'
import { assertOldEnough, assertPassword, setPassword } from '../password-policies/rules.ts'
import { checkCredentials } from './credentials.ts'

/** The same refusal for everyone, so that it does not reveal who has a password here. */
const notChanged = (): Refusal =>
  new Refusal(
    'LOGIN_FAILED',
    'User name or password is wrong, or the user is locked for now. Users of a directory or an identity provider change their password there.',
  )

/**
 * Changes the user's own password. Earlier log-ins cannot be renewed.
 * @throws Refusal LOGIN_FAILED, RULE_BROKEN with every broken rule of the password policy
 */
export async function changeOwnPassword(context: Context, body: ChangePassword): Promise<void> {
  const { changes, now } = context
  const { user, homeDomainId, policy, logins } = await checkCredentials(
    context,
    body.auth_domain,
    body.username,
    body.password,
  ).catch((error: unknown) => {
    throw error instanceof Refusal && error.reason === 'LOGIN_FAILED' ? notChanged() : error
  })
  assertOldEnough(policy, user.item, now)
  await assertPassword(policy, body.new_password, user.item, '#/new_password')
  const changed = await setPassword(user.item, body.new_password, policy, now)
  relyOnFailures(changes, homeDomainId, user.item.user_id, logins)
  changes.update(users, homeDomainId, user, { ...changed, password_change_required: false })
  context.about({ uri: resourceUri(homeDomainId, 'usermgmt', 'users', user.item.user_id), name: user.item.username })
}
