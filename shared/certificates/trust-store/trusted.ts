import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { Changes } from '../../store/changes.ts'
import { pageOf } from '../../store/list.ts'
import { ITEMS_A_TIME, type PurgeStep } from '../../store/remove-some.ts'
import type { LocalCa } from '../authorities/model.ts'
import { externalCas } from '../external/store.ts'
import { trustedAuthorities, trustedIn } from './store.ts'

/** What of an authority's record decides whether its certificates are accepted. */
type Authority = Pick<LocalCa, 'id' | 'cert' | 'notAfter' | 'purpose'> & { readonly parent_id?: string | undefined }

/** Ours: no chain of authorities is longer. */
const CHAIN_MOST = 8

/** The certificates of the external authorities above one, nearest first. */
async function chainAbove(domain: string, parentId: string | undefined, length = 1): Promise<string[]> {
  const parent = parentId === undefined || length === CHAIN_MOST ? undefined : await externalCas.get(domain, parentId)
  if (parent === undefined) return []
  return [parent.item.cert, ...(await chainAbove(domain, parent.item.parent_id, length + 1))]
}

/** Stages whether the front door accepts certificates of an authority, as its record says from now on. One read, or
 * a few for one that is new. */
export async function stageTrust(changes: Changes, domain: string, authority: Authority): Promise<void> {
  const { id, cert, notAfter, purpose } = authority
  const isTrusted = purpose.client_authentication || purpose.user_authentication
  if (!isTrusted || cert === undefined || notAfter === undefined) return stageDistrust(changes, id)
  if ((await trustedAuthorities.get(ROOT_DOMAIN_ID, id)) !== undefined) return
  const chain = [cert, ...(await chainAbove(domain, authority.parent_id))]
  changes.create(trustedAuthorities, ROOT_DOMAIN_ID, { id, domain, chain, notAfter })
}

/** Stages that the front door accepts no certificate of an authority any more. One read. */
export async function stageDistrust(changes: Changes, id: string): Promise<void> {
  const known = await trustedAuthorities.get(ROOT_DOMAIN_ID, id)
  if (known !== undefined) changes.remove(trustedAuthorities, ROOT_DOMAIN_ID, known)
}

/** The front door accepts no certificate of an authority of a deleted domain any more. */
export const removeTrusted: PurgeStep = async (domain, now) => {
  const some = { skip: 0, limit: ITEMS_A_TIME }
  const { items } = await pageOf(trustedAuthorities, ROOT_DOMAIN_ID, trustedIn(domain), some)
  const changes = new Changes()
  for (const stored of items) changes.remove(trustedAuthorities, ROOT_DOMAIN_ID, stored)
  await changes.commit(now)
  return items.length > 0
}
