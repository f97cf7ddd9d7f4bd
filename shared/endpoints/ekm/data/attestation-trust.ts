import { trustIn, type AttestationTrust, type TrustTexts } from '../../../attestation/trust.ts'
import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import type { Moment } from '../../../base/moment.ts'
import { StaleCache } from '../../../base/stale-cache.ts'
import { STATE_BOUNDS } from '../../../serving/key-use/bounds.ts'
import { after, type MaybePromise } from '../../../serving/maybe-promise.ts'
import { readEntity } from '../../../serving/sdkless/dynamo.ts'
import { itemKey } from '../../../store/layout.ts'
import { TRUST_ID, TRUST_KIND } from '../attestation/record.ts'

const NONE = trustIn({})
const trusts = new StaleCache<AttestationTrust>({ ...STATE_BOUNDS, entries: 1 })

/** The authorities whose evidence this deployment accepts, at most five seconds old. @throws Refusal UNAVAILABLE */
export const attestationTrust = (now: Moment): MaybePromise<AttestationTrust> =>
  after(
    trusts.get(TRUST_ID, now, async () => {
      const texts = await readEntity<TrustTexts>(itemKey(ROOT_DOMAIN_ID, TRUST_KIND, TRUST_ID), now.epochMs)
      return trustIn(texts ?? {})
    }),
    (trust) => trust ?? NONE,
  )
