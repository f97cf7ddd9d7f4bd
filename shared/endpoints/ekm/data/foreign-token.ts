import type { Moment } from '../../../base/moment.ts'
import { StaleCache } from '../../../base/stale-cache.ts'
import { guardedKeySets } from '../../../endpoint/issuers/key-sets.ts'
import type { BearerToken } from '../../../serving/bearer-token.ts'
import { STATE_BOUNDS } from '../../../serving/key-use/bounds.ts'
import { readEntity, readHolder } from '../../../serving/sdkless/dynamo.ts'
import { guardKey, itemKey } from '../../../store/layout.ts'
import { isLoopbackAllowed } from '../issuers/loopback.ts'
import { ISSUER_KIND } from '../issuers/record.ts'
import { identityIn, signed, unauthenticated, type Identity } from './identity.ts'

/** An issuer of a domain, as far as tokens need it. */
interface DomainIssuer {
  readonly iss: string
  readonly jwksURL: string
}

/** Names of the cloud's service accounts, which only the cloud itself can vouch for. */
const CLOUD_ACCOUNTS = '.gserviceaccount.com'

const issuers = new StaleCache<DomainIssuer>(STATE_BOUNDS)
const keySets = guardedKeySets(isLoopbackAllowed)

async function readIssuer(domain: string, iss: string, epochMs: number): Promise<DomainIssuer | undefined> {
  const id = await readHolder(guardKey(domain, ISSUER_KIND, 'iss', iss), epochMs)
  return id === undefined ? undefined : readEntity<DomainIssuer>(itemKey(domain, ISSUER_KIND, id), epochMs)
}

const issuerOf = (domain: string, iss: string, now: Moment): ReturnType<typeof issuers.get> =>
  issuers.get(`${domain} ${iss}`, now, () => readIssuer(domain, iss, now.epochMs))

/**
 * The caller, by a token of an issuer of the domain.
 * @throws EkmRefusal UNAUTHENTICATED, also when the domain has no such issuer, or the token names an account of the
 * cloud; Refusal UNAVAILABLE
 */
export async function foreignIdentity(token: BearerToken, domain: string, now: Moment): Promise<Identity> {
  const { jws, kid } = token
  const issuer = await issuerOf(domain, String(jws.payload.iss), now)
  if (issuer === undefined) throw unauthenticated()
  const key = await keySets(issuer.jwksURL).key(kid, now, jws.header.alg)
  const identity = identityIn(signed(token, key), now, [issuer.iss])
  if (identity.email.endsWith(CLOUD_ACCOUNTS)) throw unauthenticated()
  return identity
}
