import type { Context } from '../../http/context.ts'
import type { User } from './model.ts'
import type { Stored } from '../../store/entity.ts'
import { groups } from '../groups/store.ts'
import { lockedUntilMs, readLogins, type LoginRecord } from './login-record.ts'
import { heldGroupIds, type StoredUser } from './store.ts'
import { defined, without } from '../../base/fields.ts'
import { policyOf } from '../password-policies/rules.ts'

/** Log-in fields in answers; `account_lockout_at` is the start of a present lock. */
function loginFields(logins: LoginRecord, thresholds: readonly number[], now: Date) {
  const { lastLogin, lastFailure } = logins
  return {
    failed_logins_count: logins.failures,
    logins_count: logins.logins,
    ...defined({ last_login: lastLogin, last_failed_login_at: lastFailure }),
    ...(lastFailure !== undefined &&
      lockedUntilMs(logins, thresholds) > now.getTime() && { account_lockout_at: lastFailure }),
  }
}

/** Fields of the record that answers do not contain in this form. */
const HIDDEN = [
  'group_ids',
  'mapped_group_ids',
  'guest_in',
  'password_hash',
  'password_history',
  'subject_key',
  'refresh_not_before',
  'connection_id',
  'external_id',
] as const

/**
 * Users of one domain in the form of answers, with group names if requested. Two reads, more per 100 users, one per
 * policy.
 */
export async function presentUsers(
  { now }: Pick<Context, 'now'>,
  domainId: string,
  stored: readonly Stored<StoredUser>[],
  show: 'with groups' | 'without groups' = 'with groups',
): Promise<User[]> {
  const items = stored.map(({ item }) => item)
  const groupIds = show === 'with groups' ? [...new Set(items.flatMap(heldGroupIds))] : []
  const policyNames = [...new Set(items.map(({ password_policy }) => password_policy))]
  const [logins, named, policies] = await Promise.all([
    readLogins(
      domainId,
      items.map(({ user_id }) => user_id),
    ),
    groups.getMany(domainId, groupIds, 'leave out'),
    Promise.all(policyNames.map((name) => policyOf(domainId, name === undefined ? {} : { password_policy: name }))),
  ])
  const names = new Map(named.map(({ item }) => [item.id, item.name]))
  return items.map((item, at) => {
    const thresholds = policies[policyNames.indexOf(item.password_policy)]?.failed_logins_lockout_thresholds ?? []
    const record = logins[at]
    if (record === undefined) throw new Error('A user has no place in the log-in records')
    return {
      ...without(item, ...HIDDEN),
      ...loginFields(record, thresholds, now),
      ...(show === 'with groups' && { groups: heldGroupIds(item).flatMap((id) => names.get(id) ?? []) }),
    }
  })
}

/** One user in the form of answers, with group names. */
export async function presentUser(
  context: Pick<Context, 'now'>,
  domainId: string,
  stored: Stored<StoredUser>,
): Promise<User> {
  const [user] = await presentUsers(context, domainId, [stored])
  if (user === undefined) throw new Error('One user presented as none')
  return user
}
