import type { Caller, Context } from '../http/context.ts'
import { Refusal } from '../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../base/ids.ts'
import { domains } from './domains/store.ts'
import { ADMIN_GROUP } from './groups/model.ts'
import { groups } from './groups/store.ts'
import { heldGroupIds, users } from './users/store.ts'

const USER_ADMINS: readonly string[] = [ADMIN_GROUP, 'User Admins']

/**
 * Whether the caller also manages users of the root domain. A token for a child domain contains only the groups there.
 */
async function managesUsersOfRoot({ homeDomainId, sub }: Caller): Promise<boolean> {
  if (homeDomainId !== ROOT_DOMAIN_ID) return false
  const user = await users.get(ROOT_DOMAIN_ID, sub)
  const held = user ? await groups.getMany(ROOT_DOMAIN_ID, heldGroupIds(user.item)) : []
  return held.some(({ item }) => USER_ADMINS.includes(item.name))
}

/**
 * User administrators of the root domain manage users, groups and password policies of a child domain, unless the
 * child's `allow_user_management` also admits its own administrators. A user of the root domain in the child's `admins`
 * counts as one of them.
 * @throws Refusal ACTION_DENIED
 */
export async function assertMayManageUsers({ caller }: Pick<Context, 'caller'>): Promise<void> {
  if (caller.domain.id === ROOT_DOMAIN_ID) return
  const [domain, managesRoot] = await Promise.all([
    domains.get(ROOT_DOMAIN_ID, caller.domain.id),
    managesUsersOfRoot(caller),
  ])
  if (domain?.item.allow_user_management !== true && !managesRoot)
    throw new Refusal('ACTION_DENIED', 'Users of this domain are managed by User Admins of the root domain alone.')
}
