import type { Moment } from '../../../../base/moment.ts'
import { StaleCache } from '../../../../base/stale-cache.ts'
import type { StoredCloudAKey } from '../../keys/store.ts'
import { guardKey, itemKey } from '../../../../store/layout.ts'
import type { StoredLocalKey } from '../../../../vault/keys/store.ts'
import { readEntity, readHolder } from '../../../../serving/sdkless/dynamo.ts'
import { STATE_BOUNDS } from '../../../../serving/key-use/bounds.ts'
import { readVersion } from '../../../../serving/key-use/key-version.ts'
import { UUID } from './address.ts'
import type { ServedStore } from './key-store.ts'

/** A key that a store hosts for its cloud, and the latest version of its local key. */
export interface HostedKey {
  readonly id: string
  readonly blocked: boolean
  /** the version with which the key was created: it identifies the local key */
  readonly sourceId: string
  readonly latest: StoredLocalKey
}

const keys = new StaleCache<HostedKey>(STATE_BOUNDS)

/**
 * The record and the latest version. Items known from the last read are read in one batch; if their ids have changed,
 * the new items are read after it.
 */
async function readKey(
  { domain, id: storeId }: ServedStore,
  id: string,
  before: HostedKey | undefined,
  epochMs: number,
): Promise<HostedKey | undefined> {
  const version = (of: string | undefined) => (of === undefined ? undefined : readVersion(domain, of, epochMs))
  const holderOf = (name: string | undefined) =>
    name === undefined ? undefined : readHolder(guardKey(domain, 'local-key', 'name', name), epochMs)
  const [record, sourceBefore, latestBefore, holderBefore] = await Promise.all([
    readEntity<StoredCloudAKey>(itemKey(domain, 'cloud-a-key', id), epochMs),
    version(before?.sourceId),
    version(before?.latest.id),
    holderOf(before?.latest.name),
  ])
  const hosted = record?.local_hosted_params
  if (hosted?.custom_key_store_id !== storeId) return undefined
  const { source_key_id: sourceId, blocked } = hosted
  const source = sourceId === before?.sourceId ? sourceBefore : await version(sourceId)
  if (source === undefined) return undefined
  const holder = source.name === before?.latest.name ? holderBefore : await holderOf(source.name)
  const latest = [source, latestBefore].find((one) => one?.id === holder) ?? (await version(holder))
  return latest && { id, blocked, sourceId, latest }
}

/**
 * The key with this id in the protocol, at most five seconds old. A blocked key is read again, so that unblocking takes
 * effect at once. `undefined` if this store has no such key, or its local key is deleted.
 * @throws Refusal UNAVAILABLE
 */
export function hostedKey(
  store: ServedStore,
  id: string,
  now: Moment,
): HostedKey | undefined | Promise<HostedKey | undefined> {
  if (!UUID.test(id)) return undefined
  const name = `${store.id} ${id}`
  const key = keys.get(name, now, (before) => readKey(store, id, before, now.epochMs))
  if (key instanceof Promise || key?.blocked !== true) return key
  return keys.refresh(name, now, (before) => readKey(store, id, before, now.epochMs))
}
