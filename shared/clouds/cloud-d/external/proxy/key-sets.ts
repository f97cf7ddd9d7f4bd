import { BoundedCache } from '../../../../base/bounded-cache.ts'
import { fieldsOf, jsonOf } from '../../../../base/json.ts'
import type { Moment } from '../../../../base/moment.ts'
import { sendGuarded } from '../../../../base/network/guarded-fetch.ts'
import type { VerifyingKey } from '../../../../crypto/jose/jws.ts'
import type { BearerToken } from '../../../../serving/bearer-token.ts'
import { openSdkless } from '../../../../serving/domain-key.ts'
import { KeySetOf, type ReadKeySet } from '../../../../serving/key-set.ts'
import type { MaybePromise } from '../../../../serving/maybe-promise.ts'
import { allowsLoopback } from '../../issuers/loopback.ts'
import { tokenIn, tokenRequest } from '../../issuers/client-token.ts'
import { secretPurpose } from '../../issuers/secret-purpose.ts'
import type { ServedVault } from './served-vault.ts'

/** Ours: a deployment serves vaults of some hundred tenancies, each with an identity domain. */
const SETS = 1_024

type Issuer = ServedVault['issuer']

/** The client's secret. @throws Error, a fault, for an issuer without one; Refusal UNAVAILABLE */
async function secretOf(domain: string, issuer: Issuer, now: Moment): Promise<string> {
  if (issuer.sealed === undefined) throw new Error('The issuer has a protected key set and no client secret')
  const bytes = await openSdkless(domain, secretPurpose(issuer), issuer.sealed, now)
  const secret = bytes.toString('utf8')
  bytes.fill(0)
  return secret
}

/** Headers with which a protected key set is read. @throws Error unless the issuer gives a token */
async function authorization(
  domain: string,
  issuer: Issuer,
  bounds: Parameters<typeof sendGuarded>[2],
  now: Moment,
): Promise<Readonly<Record<string, string>>> {
  const { jwks_uri_protected: isProtected, token_endpoint: address, client_id = '' } = issuer
  if (!isProtected || address === undefined) return {}
  const request = tokenRequest(client_id, await secretOf(domain, issuer, now))
  const reply = await sendGuarded(new URL(address), request, bounds)
  const token = reply.status === 200 ? tokenIn(fieldsOf(jsonOf(reply.body))) : undefined
  if (token === undefined) throw new Error(`The issuer answered ${reply.status} instead of a token for its key set`)
  return { authorization: `Bearer ${token}` }
}

/** Reads the key set of an issuer. An administrator configured the addresses, so they are called guarded. */
const reading =
  (domain: string, issuer: Issuer): ReadKeySet =>
  async (address, bounds, now) => {
    const guarded = { ...bounds, connectWithinMs: bounds.withinMs, allowsLoopback: allowsLoopback() }
    const headers = await authorization(domain, issuer, guarded, now)
    return sendGuarded(address, { method: 'GET', headers: { accept: 'application/json', ...headers } }, guarded)
  }

const sets = new BoundedCache<KeySetOf>(SETS)

/**
 * A key with which the issuer of a vault signs tokens; a changed issuer has another set.
 * @throws Refusal UNAVAILABLE
 */
export const signingKey = (
  { domain, issuer }: ServedVault,
  { kid, jws }: Pick<BearerToken, 'kid' | 'jws'>,
  now: Moment,
): MaybePromise<VerifyingKey | undefined> =>
  sets
    .use(`${issuer.id} ${issuer.updatedAt}`, () => new KeySetOf(issuer.jwks_uri, reading(domain, issuer)))
    .key(kid, now, jws.header.alg)
