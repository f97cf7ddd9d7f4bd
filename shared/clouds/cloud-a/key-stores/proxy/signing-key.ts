import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Moment } from '../../../../base/moment.ts'
import { StaleCache } from '../../../../base/stale-cache.ts'
import { openSdkless } from '../../../../serving/domain-key.ts'
import type { StoredCredential } from '../store.ts'
import { MATERIAL_BOUNDS } from '../../../../serving/key-use/bounds.ts'
import { credentialPurpose } from '../identifiers.ts'
import type { ServedStore } from './key-store.ts'

/** Service name in the credential scope of calls to an external key store's proxy. */
export const PROXY_SERVICE = 'kms-xks-proxy'

const keys = new StaleCache<KeyObject>(MATERIAL_BOUNDS)

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Chain of HMACs over day, region and service; intermediate keys are zeroed. @param secret is zeroed as well */
function derive(secret: Buffer, day: string, region: string): KeyObject {
  const first = Buffer.concat([Buffer.from('AWS4'), secret])
  secret.fill(0)
  const last = [day, region, PROXY_SERVICE, 'aws4_request'].reduce<Buffer>((key, text) => {
    const next = hmac(key, text)
    key.fill(0)
    return next
  }, first)
  const key = createSecretKey(last)
  last.fill(0)
  return key
}

/**
 * The signing key of a credential for one day (`yyyymmdd`). The secret itself is in memory only for a moment.
 * @throws Refusal UNAVAILABLE
 */
export function signingKey(
  { domain, region }: Pick<ServedStore, 'domain' | 'region'>,
  { id, sealed }: StoredCredential,
  day: string,
  now: Moment,
): KeyObject | undefined | Promise<KeyObject | undefined> {
  return keys.get(`${id} ${day} ${region}`, now, async () =>
    derive(await openSdkless(domain, credentialPurpose(id), sealed, now), day, region),
  )
}
