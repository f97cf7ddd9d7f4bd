import { countLogin } from '../../users/login-record.ts'
import { LOCAL_ACCOUNT } from '../../users/model.ts'
import { users } from '../../users/store.ts'
import { assertPasswordCurrent, checkCredentials } from '../credentials.ts'
import { domainAsked, ownerAsked } from '../domain-asked.ts'
import { opened, type Grant } from './grant.ts'

/**
 * A log-in by name and password; with a named connection, the directory checks the password.
 * @throws Refusal LOGIN_FAILED; PASSWORD_OUTDATED when the password must be changed first; UNAVAILABLE for a directory
 */
export const passwordGrant: Grant = async (context, request) => {
  const { name, username, password = '', connection = LOCAL_ACCOUNT } = request
  if (connection !== LOCAL_ACCOUNT)
    return (await import('../external/directory-password.ts')).directoryPasswordGrant(context, request)
  const loggedIn = await checkCredentials(
    context,
    domainAsked(request),
    name ?? username ?? '',
    password,
    ownerAsked(request),
  )
  const { changes, now } = context
  assertPasswordCurrent(loggedIn, now)
  countLogin(changes, loggedIn.homeDomainId, loggedIn.user.item.user_id, loggedIn.logins, now)
  // runs again if the password was changed during the comparison
  changes.rely(users, loggedIn.homeDomainId, loggedIn.user)
  return opened(context, loggedIn, request)
}
