import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Moment } from '../../../base/moment.ts'
import { StaleCache } from '../../../base/stale-cache.ts'
import { signRs256 } from '../../../crypto/jose/jws.ts'
import { openSdkless } from '../../../serving/domain-key.ts'
import { MATERIAL_BOUNDS } from '../../../serving/key-use/bounds.ts'
import { signingPurpose } from '../identifiers.ts'
import type { ServedEndpoint } from './served-endpoint.ts'

const keys = new StaleCache<KeyObject>(MATERIAL_BOUNDS)

async function open({ domain, id, signing }: ServedEndpoint, now: Moment): Promise<KeyObject> {
  const der = await openSdkless(domain, signingPurpose(id), signing.sealed, now)
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  der.fill(0)
  return key
}

/**
 * A token signed by the endpoint, valid from now on. @param seconds lifetime
 * @throws Refusal UNAVAILABLE
 */
export async function ownToken(
  endpoint: ServedEndpoint,
  claims: object,
  seconds: number,
  now: Moment,
): Promise<string> {
  const [newest] = endpoint.signing.keys
  const kid = newest?.kid ?? ''
  const key = await keys.get(kid, now, () => open(endpoint, now))
  if (key === undefined) throw new Error('The endpoint has no key to sign with')
  const iat = Math.floor(now.epochMs / 1_000)
  return signRs256(kid, { iss: endpoint.url, ...claims, iat, exp: iat + seconds }, key)
}
