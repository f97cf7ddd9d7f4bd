import type { Moment } from '../../../../base/moment.ts'
import { StaleCache } from '../../../../base/stale-cache.ts'
import { STATE_BOUNDS } from '../../../../serving/key-use/bounds.ts'
import { readVersion } from '../../../../serving/key-use/key-version.ts'
import type { MaybePromise } from '../../../../serving/maybe-promise.ts'
import { readEntity } from '../../../../serving/sdkless/dynamo.ts'
import type { ServedPolicy } from '../../../../serving/served-policy.ts'
import { itemKey } from '../../../../store/layout.ts'
import type { StoredLocalKey } from '../../../../vault/keys/store.ts'
import type { StoredCloudDKey } from '../../keys/store.ts'
import type { StoredCloudDVersion } from '../../versions/store.ts'
import { isId, NOW_MS, policyOf, type ServedVault } from './served-vault.ts'

/** A version of an external key, and the version of the local key that it uses. */
export interface ServedVersion {
  readonly id: string
  readonly local: StoredLocalKey
}

/** An external key as the data plane needs it. */
export interface ServedKey {
  readonly domain: string
  readonly id: string
  readonly name: string
  readonly isBlocked: boolean
  readonly isLinked: boolean
  readonly policy: ServedPolicy | undefined
  /** the version that encrypts */
  readonly current: ServedVersion
}

/** The record, and the local key of its current version. The one known from the last read is read in the same batch. */
async function readKey(
  { domain, id: vaultId }: ServedVault,
  id: string,
  before: ServedKey | undefined,
  epochMs: number,
): Promise<ServedKey | undefined> {
  const [record, localBefore] = await Promise.all([
    readEntity<StoredCloudDKey>(itemKey(domain, 'cloud-d-key', id), epochMs),
    before && readVersion(domain, before.current.local.id, epochMs),
  ])
  const external = record?.hyok_key_params
  const localId = record?.local_key_id
  if (external === undefined || localId === undefined || record?.vault_resource_id !== vaultId) return undefined
  const local = localBefore?.id === localId ? localBefore : await readVersion(domain, localId, epochMs)
  if (local === undefined) return undefined
  const { display_name: name, current_key_version: versionId } = record.cloud_d_params
  return {
    ...{ domain, id, name, isBlocked: external.blocked, isLinked: external.linked_state },
    policy: await policyOf(record, before?.policy),
    current: { id: versionId, local },
  }
}

const keys = new StaleCache<ServedKey>(STATE_BOUNDS)

/** A key of a vault, at most five seconds old; `undefined` if the vault has no such key. @throws Refusal UNAVAILABLE */
export const servedKey = (vault: ServedVault, id: string, now: Moment): MaybePromise<ServedKey | undefined> =>
  isId(id) ? keys.get(`${vault.id} ${id}`, now, (before) => readKey(vault, id, before, now.epochMs)) : undefined

/** A key of a vault, at most `NOW_MS` old: read before a call is refused. @throws Refusal UNAVAILABLE */
export const keyNow = (vault: ServedVault, id: string, now: Moment): MaybePromise<ServedKey | undefined> =>
  keys.youngerThan(NOW_MS, `${vault.id} ${id}`, now, (before) => readKey(vault, id, before, now.epochMs))

const versions = new StaleCache<ServedVersion>(STATE_BOUNDS)

async function readEarlier(
  { domain, id: keyId }: ServedKey,
  id: string,
  before: ServedVersion | undefined,
  epochMs: number,
): Promise<ServedVersion | undefined> {
  const [record, localBefore] = await Promise.all([
    readEntity<StoredCloudDVersion>(itemKey(domain, 'cloud-d-version', id), epochMs),
    before && readVersion(domain, before.local.id, epochMs),
  ])
  if (record?.parent_key_id !== keyId || record.local_key_id === undefined) return undefined
  const { local_key_id: localId } = record
  const local = localBefore?.id === localId ? localBefore : await readVersion(domain, localId, epochMs)
  return local && { id, local }
}

/**
 * A version of a key, usually the current one, which needs no read. @param id default: the current one
 * @returns `undefined` if the key has no such version, or its local key is deleted
 * @throws Refusal UNAVAILABLE
 */
export function servedVersion(
  key: ServedKey,
  id: string | undefined,
  now: Moment,
): MaybePromise<ServedVersion | undefined> {
  if (id === undefined || id === key.current.id) return key.current
  if (!isId(id)) return undefined
  return versions.get(`${key.id} ${id}`, now, (before) => readEarlier(key, id, before, now.epochMs))
}
