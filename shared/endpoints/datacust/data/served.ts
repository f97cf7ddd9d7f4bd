import { BoundedCache } from '../../../base/bounded-cache.ts'
import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import { beforeDeadline, type Moment } from '../../../base/moment.ts'
import { readVersion } from '../../../serving/key-use/key-version.ts'
import { readEntity } from '../../../serving/sdkless/dynamo.ts'
import { itemKey } from '../../../store/layout.ts'
import type { StoredOwner } from '../../../store/owner.ts'
import type { StoredLocalKey } from '../../../vault/keys/store.ts'
import type { DatacustExternalVersion } from '../keys/model.ts'
import type { StoredExternalKey } from '../keys/store.ts'
import type { StoredDatacustKeystore } from '../stores/store.ts'
import type { DatacustAddress } from './address.ts'

/** A version of an external key, and the version of the local key behind it. */
export interface ServedVersion extends DatacustExternalVersion {
  readonly local: StoredLocalKey
}

/** A key store and, for a call on a key of this store, that key. */
export interface Served {
  readonly domain: string
  readonly keystore: StoredDatacustKeystore
  readonly key: StoredExternalKey | undefined
  /** the requested version, or the newest; absent if the key has no such version */
  readonly version: ServedVersion | undefined
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A key store never changes its domain. The store's own item shows whether it exists. */
const domains = new BoundedCache<string>(4_096)
/** Ids of local keys that calls used last, to read them in the same batch as the external key. */
const hints = new BoundedCache<string>(4_096)

async function domainOf(keystore: string, epochMs: number): Promise<string | undefined> {
  const known = domains.get(keystore)
  if (known !== undefined || !UUID.test(keystore)) return known
  const owner = await readEntity<StoredOwner>(itemKey(ROOT_DOMAIN_ID, 'datacust-keystore-owner', keystore), epochMs)
  if (owner !== undefined) domains.set(keystore, owner.domain)
  return owner?.domain
}

async function read(
  { keystore: keystoreId, key: keyId }: DatacustAddress,
  asked: string | undefined,
  epochMs: number,
): Promise<Served | undefined> {
  const domain = await domainOf(keystoreId, epochMs)
  if (domain === undefined) return undefined
  const hint = `${keyId ?? ''} ${asked ?? ''}`
  const likely = hints.get(hint)
  const [keystore, found, before] = await Promise.all([
    readEntity<StoredDatacustKeystore>(itemKey(domain, 'datacust-keystore', keystoreId), epochMs),
    keyId !== undefined && UUID.test(keyId)
      ? readEntity<StoredExternalKey>(itemKey(domain, 'datacust-external-key', keyId), epochMs)
      : undefined,
    likely === undefined ? undefined : readVersion(domain, likely, epochMs),
  ])
  if (keystore === undefined) return undefined
  const key = found?.keystore_id === keystoreId ? found : undefined
  const version = asked === undefined ? key?.versions.at(-1) : key?.versions.find(({ id }) => id === asked)
  if (version === undefined) return { domain, keystore, key, version: undefined }
  const sourceId = version.source_key_id
  const local = before?.id === sourceId ? before : await readVersion(domain, sourceId, epochMs)
  if (local !== undefined) hints.set(hint, sourceId)
  return { domain, keystore, key, version: local && { ...version, local } }
}

/**
 * The records of a call, read in one batch for each call: blocking, disabling and another certificate take effect with
 * the next call on every instance. `undefined` if the key store does not exist.
 * @param asked id of the requested version
 * @throws Refusal UNAVAILABLE
 */
export const servedNow = (
  address: DatacustAddress,
  asked: string | undefined,
  now: Moment,
): Promise<Served | undefined> => beforeDeadline(read(address, asked, now.epochMs), now)
