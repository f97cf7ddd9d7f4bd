import { BoundedCache } from '../../../base/bounded-cache.ts'
import { setting } from '../../../base/environment.ts'
import type { Moment } from '../../../base/moment.ts'
import type { VerifyingKey } from '../../../crypto/jose/jws.ts'
import { guardedKeySets } from '../../../endpoint/issuers/key-sets.ts'
import { KeySetOf } from '../../../serving/key-set.ts'
import type { BearerToken } from '../../../serving/bearer-token.ts'
import type { MaybePromise } from '../../../serving/maybe-promise.ts'
import { isLoopbackAllowed } from '../loopback.ts'

type Signed = Pick<BearerToken, 'kid' | 'jws'>

const named = guardedKeySets(isLoopbackAllowed)

/**
 * A key with which an identity provider, or another service, signs. An administrator configures the address; a token
 * never decides it.
 * @throws Refusal UNAVAILABLE
 */
export const signingKey = (
  address: string,
  { kid, jws }: Signed,
  now: Moment,
): MaybePromise<VerifyingKey | undefined> => named(address).key(kid, now, jws.header.alg)

const SUITE = 'https://www.googleapis.com/service_accounts/v1/jwk'

/** Ours: more than the suite has applications. */
const SETS = 1_024
const ofSuite = new BoundedCache<KeySetOf>(SETS)

/**
 * Verification key of an application of the suite. Only the deployment configures its address. @throws Refusal
 * UNAVAILABLE
 */
export const suiteKey = (issuer: string, { kid, jws }: Signed, now: Moment): MaybePromise<VerifyingKey | undefined> =>
  ofSuite
    .use(issuer, () => new KeySetOf(`${setting('KEYMGR_KACLS_KEY_SETS') || SUITE}/${issuer}`))
    .key(kid, now, jws.header.alg)
