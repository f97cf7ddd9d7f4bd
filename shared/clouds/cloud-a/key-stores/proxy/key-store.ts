import { BoundedCache } from '../../../../base/bounded-cache.ts'
import { ROOT_DOMAIN_ID } from '../../../../base/ids.ts'
import type { Moment } from '../../../../base/moment.ts'
import { StaleCache } from '../../../../base/stale-cache.ts'
import type { StoredCredential, StoredCustomKeyStore } from '../store.ts'
import { itemKey } from '../../../../store/layout.ts'
import { alsoBlocksOf } from '../../../../serving/served-blocks.ts'
import { readEntity } from '../../../../serving/sdkless/dynamo.ts'
import { STATE_BOUNDS } from '../../../../serving/key-use/bounds.ts'

/** An external key store as its proxy needs it. */
export interface ServedStore {
  readonly domain: string
  readonly id: string
  /** id of the container of the store */
  readonly container: string
  readonly region: string
  readonly blocked: boolean
  readonly mtls: boolean
  /** whether successful calls are audited */
  readonly audited: boolean
  readonly healthKeyId: string
  readonly healthSample: string
  /** by access key id */
  readonly credentials: ReadonlyMap<string, StoredCredential>
}

const stores = new StaleCache<ServedStore>(STATE_BOUNDS)
/** A store never changes its domain. The store's own item shows whether it exists. */
const domains = new BoundedCache<string>(4_096)

async function domainOf(id: string, epochMs: number): Promise<string | undefined> {
  const known = domains.get(id)
  if (known !== undefined) return known
  const endpoint = await readEntity<{ domain: string }>(itemKey(ROOT_DOMAIN_ID, 'xks-endpoint', id), epochMs)
  if (endpoint === undefined) return undefined
  domains.set(id, endpoint.domain)
  return endpoint.domain
}

async function readStore(id: string, now: Moment): Promise<ServedStore | undefined> {
  const { epochMs } = now
  const domain = await domainOf(id, epochMs)
  if (domain === undefined) return undefined
  alsoBlocksOf(domain, now)
  const stored = await readEntity<StoredCustomKeyStore>(itemKey(domain, 'custom-key-store', id), epochMs)
  const local = stored?.local_hosted_params
  if (stored === undefined || local === undefined) return undefined
  return {
    domain,
    id,
    container: stored.kms_id,
    region: stored.region,
    blocked: local.blocked,
    mtls: local.mtls_enabled,
    audited: stored.enable_success_audit_event,
    healthKeyId: local.health_check_key_id,
    healthSample: local.health_check_ciphertext,
    credentials: new Map(stored.credentials.map((credential) => [credential.access_key_id, credential])),
  }
}

/**
 * The external key store with this id, at most five seconds old. `undefined` if it does not exist or uses no keys of
 * keymgr.
 * @throws Refusal UNAVAILABLE
 */
export const servedStore = (id: string, now: Moment): ServedStore | undefined | Promise<ServedStore | undefined> =>
  stores.get(id, now, () => readStore(id, now))

/** The external key store, read now, so that unblocking takes effect at once. @throws Refusal UNAVAILABLE */
export const storeNow = ({ id }: ServedStore, now: Moment): Promise<ServedStore | undefined> =>
  stores.refresh(id, now, () => readStore(id, now))
