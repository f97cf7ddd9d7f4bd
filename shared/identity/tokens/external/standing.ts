import type { Context } from '../../../http/context.ts'
import { externalUserOf, type ExternalPerson, type ExternalUser, type NoUser } from '../../connections/external-user.ts'
import { policyOf } from '../../password-policies/rules.ts'
import { lockedUntilMs, NEVER, readLogins, type LoginRecord } from '../../users/login-record.ts'
import { groupIdsIn } from './admit.ts'
import type { Place } from './place.ts'

/** A user whom a connection has authenticated, and who may log in. */
export interface Candidate {
  readonly found: Exclude<ExternalUser, { noUser: NoUser }>
  readonly logins: LoginRecord
}

/** Whether the user may log in here, by any method; the audit record contains the reason if not. */
export async function standingOf(
  context: Context,
  place: Place,
  person: ExternalPerson,
): Promise<Candidate | { why: string }> {
  const { connection, homeDomainId, domain } = place
  const { now } = context
  const mayMake = homeDomainId === domain.id
  const found = await externalUserOf(homeDomainId, connection.item, person, { now, mayMake })
  if ('noUser' in found) return { why: found.noUser }
  if ('made' in found) return { found, logins: NEVER }
  const user = found.stored.item
  const [policy, [logins = NEVER], groupIds] = await Promise.all([
    policyOf(homeDomainId, user),
    readLogins(homeDomainId, [user.user_id]),
    groupIdsIn(place, user),
  ])
  if (!user.enabled) return { why: 'the user is disabled' }
  if (groupIds === undefined) return { why: 'the user is no guest of this domain' }
  if (lockedUntilMs(logins, policy.failed_logins_lockout_thresholds) > now.getTime())
    return { why: 'the user is locked for now' }
  return { found, logins }
}
