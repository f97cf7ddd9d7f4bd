import { BoundedCache } from '../../../base/bounded-cache.ts'
import type { Moment } from '../../../base/moment.ts'
import type { VerifyingKey } from '../../../crypto/jose/jws.ts'
import type { BearerToken } from '../../../serving/bearer-token.ts'
import { KeySetOf } from '../../../serving/key-set.ts'
import type { MaybePromise } from '../../../serving/maybe-promise.ts'
import { platformAddress } from '../platform.ts'

/** Ours: a deployment serves users of some hundred tenants. */
const TENANTS = 1_024

const keySets = new BoundedCache<KeySetOf>(TENANTS)

/**
 * A key with which a tenant signs tokens. The deployment configures the platform, and an owner the tenant; a token
 * decides neither.
 * @throws Refusal UNAVAILABLE
 */
export const signingKey = (
  tenant: string,
  { kid, jws }: Pick<BearerToken, 'kid' | 'jws'>,
  now: Moment,
): MaybePromise<VerifyingKey | undefined> =>
  keySets
    .use(tenant, () => new KeySetOf(`${platformAddress()}/${tenant}/discovery/v2.0/keys`))
    .key(kid, now, jws.header.alg)
