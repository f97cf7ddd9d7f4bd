import { BoundedCache } from '../../../base/bounded-cache.ts'
import { setting } from '../../../base/environment.ts'
import type { Moment } from '../../../base/moment.ts'
import type { VerifyingKey } from '../../../crypto/jws.ts'
import { sendGuarded } from '../../../base/network/guarded-fetch.ts'
import { KeySetOf, type ReadKeySet } from '../../../serving/key-set.ts'
import type { BearerToken } from '../../../serving/bearer-token.ts'
import type { MaybePromise } from '../../../serving/maybe-promise.ts'
import { isLoopbackAllowed } from '../loopback.ts'

type Signed = Pick<BearerToken, 'kid' | 'jws'>

/** Ours: a deployment serves users of some hundred identity providers, and migrates from a few services. */
const SETS = 1_024

const guarded: ReadKeySet = (address, bounds) =>
  sendGuarded(
    address,
    { method: 'GET', headers: { accept: 'application/json' } },
    { ...bounds, connectWithinMs: bounds.withinMs, allowsLoopback: isLoopbackAllowed() },
  )

const named = new BoundedCache<KeySetOf>(SETS)

/**
 * A key with which an identity provider, or another service, signs. An administrator configures the address; a token
 * never decides it.
 * @throws Refusal UNAVAILABLE
 */
export const signingKey = (
  address: string,
  { kid, jws }: Signed,
  now: Moment,
): MaybePromise<VerifyingKey | undefined> =>
  named.use(address, () => new KeySetOf(address, guarded)).key(kid, now, jws.header.alg)

const SUITE = 'https://www.googleapis.com/service_accounts/v1/jwk'

const ofSuite = new BoundedCache<KeySetOf>(SETS)

/**
 * A key with which an application of the suite signs. Only the deployment configures the address. @throws Refusal
 * UNAVAILABLE
 */
export const suiteKey = (issuer: string, { kid, jws }: Signed, now: Moment): MaybePromise<VerifyingKey | undefined> =>
  ofSuite
    .use(issuer, () => new KeySetOf(`${setting('KEYMGR_KACLS_KEY_SETS') || SUITE}/${issuer}`))
    .key(kid, now, jws.header.alg)
