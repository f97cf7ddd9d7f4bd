import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { Changes } from '../../store/changes.ts'
import { pageOf } from '../../store/list.ts'
import { ITEMS_A_TIME, type PurgeStep } from '../../store/remove-some.ts'
import type { LocalCa } from '../authorities/model.ts'
import { chainOf } from './chain.ts'
import { trustedAuthorities, trustedIn } from './store.ts'

/** The fields of an authority's record that determine whether its certificates are accepted. */
export type Authority = Pick<LocalCa, 'id' | 'cert' | 'notAfter' | 'purpose'> & {
  readonly parent_id?: string | undefined
}

/**
 * Stages whether the front door accepts certificates of an authority, according to its record. One read, or a few for a
 * new authority.
 */
export async function stageTrust(changes: Changes, domain: string, authority: Authority): Promise<void> {
  const { id, cert, notAfter, purpose } = authority
  const isTrusted = purpose.client_authentication || purpose.user_authentication
  if (!isTrusted || cert === undefined || notAfter === undefined) return stageDistrust(changes, id)
  if ((await trustedAuthorities.get(ROOT_DOMAIN_ID, id)) !== undefined) return
  const chain = await chainOf(domain, cert, authority.parent_id)
  changes.create(trustedAuthorities, ROOT_DOMAIN_ID, { id, domain, chain, notAfter })
}

/** Stages that the front door no longer accepts certificates of an authority. One read. */
export async function stageDistrust(changes: Changes, id: string): Promise<void> {
  const known = await trustedAuthorities.get(ROOT_DOMAIN_ID, id)
  if (known !== undefined) changes.remove(trustedAuthorities, ROOT_DOMAIN_ID, known)
}

/** Makes the front door stop accepting certificates of a deleted domain's authorities. */
export const removeTrusted: PurgeStep = async (domain, now) => {
  const some = { skip: 0, limit: ITEMS_A_TIME }
  const { items } = await pageOf(trustedAuthorities, ROOT_DOMAIN_ID, trustedIn(domain), some)
  const changes = new Changes()
  for (const stored of items) changes.remove(trustedAuthorities, ROOT_DOMAIN_ID, stored)
  await changes.commit(now)
  return items.length > 0
}
