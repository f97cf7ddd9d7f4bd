import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import type { Stored } from '../../../store/entity.ts'
import { loginConnectionNamed } from '../../connections/find-connection.ts'
import type { Strategy } from '../../connections/strategy-names.ts'
import type { StoredLoginConnection } from '../../connections/store.ts'
import type { Domain } from '../../domains/model.ts'
import { domainNamed } from '../credentials.ts'

/** Where somebody logs in, and by what. */
export interface Place {
  readonly domain: Domain
  readonly connection: Stored<StoredLoginConnection>
  /** domain of the connection, which owns its users: the root domain for guests */
  readonly homeDomainId: string
}

/**
 * The domain and connection of a log-in from outside. The connection is one of the domain, else one of the root domain for
 * users who are guests here; of `ownerName` alone where that is said.
 * @returns `undefined` where there is none, or a disabled one
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
