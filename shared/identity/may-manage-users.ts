import type { Context } from '../http/context.ts'
import { Refusal } from '../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../base/ids.ts'
import { domains } from './domains/store.ts'

/**
 * Users, groups and password policies of a child domain are managed from the root domain, unless the child's
 * `allow_user_management` also admits its own administrators.
 * @throws Refusal ACTION_DENIED
 */
export async function assertMayManageUsers({ caller }: Pick<Context, 'caller'>): Promise<void> {
  if (caller.domain.id === ROOT_DOMAIN_ID || caller.homeDomainId === ROOT_DOMAIN_ID) return
  const domain = await domains.get(ROOT_DOMAIN_ID, caller.domain.id)
  if (domain?.item.allow_user_management !== true)
    throw new Refusal('ACTION_DENIED', 'Users of this domain are managed by administrators of the root domain alone.')
}
