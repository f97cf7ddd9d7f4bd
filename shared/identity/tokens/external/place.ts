import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import type { Stored } from '../../../store/entity.ts'
import { loginConnectionNamed } from '../../connections/find-connection.ts'
import type { Strategy } from '../../connections/strategy-names.ts'
import type { StoredLoginConnection } from '../../connections/store.ts'
import type { Domain } from '../../domains/model.ts'
import { domainNamed } from '../credentials.ts'

/** The domain and the connection of a log-in. */
export interface Place {
  readonly domain: Domain
  readonly connection: Stored<StoredLoginConnection>
  /** domain of the connection, which owns its users: the root domain for guests */
  readonly homeDomainId: string
}

/**
 * The domain and connection of an external log-in. The connection belongs to the domain, or else to the root domain,
 * for its users who are guests; with `ownerName`, only to that domain.
 * @returns `undefined` if there is none, or it is disabled
 */
export async function placeOf(
  domainName: string | undefined,
  connectionName: string,
  strategy: Strategy,
  ownerName?: string,
): Promise<Place | undefined> {
  const domain = await domainNamed(domainName)
  const owner = ownerName === undefined ? domain : await domainNamed(ownerName)
  if (domain === undefined || owner === undefined || ![domain.id, ROOT_DOMAIN_ID].includes(owner.id)) return undefined
  const own = owner.id === domain.id ? await loginConnectionNamed(domain.id, connectionName) : undefined
  const mayBeOfRoot = ownerName === undefined || owner.id === ROOT_DOMAIN_ID
  const connection = own ?? (mayBeOfRoot ? await loginConnectionNamed(ROOT_DOMAIN_ID, connectionName) : undefined)
  if (connection?.item.enabled !== true || connection.item.strategy !== strategy) return undefined
  return { domain, connection, homeDomainId: own === undefined ? ROOT_DOMAIN_ID : domain.id }
}
