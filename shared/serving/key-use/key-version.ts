import { createPrivateKey, createSecretKey, type KeyObject } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import type { Moment } from '../../base/moment.ts'
import { StaleCache } from '../../base/stale-cache.ts'
import { openSdkless } from '../domain-key.ts'
import { familyKey, itemKey, versionSortKey } from '../../store/layout.ts'
import type { StoredLocalKey } from '../../vault/keys/store.ts'
import { readEntity, readHolder } from '../sdkless/dynamo.ts'
import { sealPurpose } from '../../vault/keys/material/seal-purpose.ts'
import type { CommonRecord } from '../access-log.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { assertKeyOpen } from '../served-blocks.ts'
import { MATERIAL_BOUNDS, STATE_BOUNDS } from './bounds.ts'

const LOCAL_KEY = 'local-key'

/** One version of a local key by its id, read now. @throws Refusal UNAVAILABLE */
export const readVersion = (domain: string, id: string, epochMs: number): Promise<StoredLocalKey | undefined> =>
  readEntity<StoredLocalKey>(itemKey(domain, LOCAL_KEY, id), epochMs)

const byNumber = new StaleCache<StoredLocalKey>(STATE_BOUNDS)

/** The version of a local key by its number, at most five seconds old. @throws Refusal UNAVAILABLE */
function versionNumbered(
  domain: string,
  name: string,
  version: number,
  now: Moment,
): MaybePromise<StoredLocalKey | undefined> {
  return byNumber.get(`${domain} ${version} ${name}`, now, async () => {
    const id = await readHolder(familyKey(domain, LOCAL_KEY, { name, key: versionSortKey(version) }), now.epochMs)
    return id === undefined ? undefined : readVersion(domain, id, now.epochMs)
  })
}

/** The version that a blob or an address names; usually the latest, which needs no read. @throws Refusal UNAVAILABLE */
export const versionOf = (
  { domain, latest }: { readonly domain: string; readonly latest: StoredLocalKey },
  version: number,
  now: Moment,
): MaybePromise<StoredLocalKey | undefined> =>
  version === latest.version ? latest : versionNumbered(domain, latest.name, version, now)

const materials = new StaleCache<KeyObject>(MATERIAL_BOUNDS)

/** The call that uses a key: its time, and its line of the access log. */
export interface KeyUse {
  readonly now: Moment
  readonly record: CommonRecord
}

/**
 * Begins every use of a local key by a call. Marks the line of a call that uses a canary key: its audit record is
 * critical and raises an alarm.
 * @throws Refusal STATE_CONFLICT for a key that is blocked in an emergency, UNAVAILABLE
 */
export function beginKeyUse(key: StoredLocalKey, record: CommonRecord): MaybePromise<void> {
  if (key.canary === true) {
    record.canary = key.uri
    record.audit = true
  }
  return assertKeyOpen(key, record)
}

/**
 * The material of a version, secret or private. It never changes; the version's record decides at each use whether it
 * may be used.
 * @throws Error, a fault, for material that does not open; Refusal STATE_CONFLICT for a version without material, an
 * xts key and a blocked key, UNAVAILABLE
 */
export function materialOf(domain: string, key: StoredLocalKey, { now, record }: KeyUse): MaybePromise<KeyObject> {
  const begun = beginKeyUse(key, record)
  return begun instanceof Promise
    ? begun.then(() => openedMaterial(domain, key, now))
    : openedMaterial(domain, key, now)
}

function openedMaterial(domain: string, key: StoredLocalKey, now: Moment): MaybePromise<KeyObject> {
  const { id, version, sealed, objectType, xts } = key
  if (sealed === undefined) throw new Refusal('STATE_CONFLICT', 'The key has no material.')
  if (xts) throw new Refusal('STATE_CONFLICT', 'The key is an xts key, which no protocol uses.')
  const found = materials.get(id, now, async () => {
    const bytes = await openSdkless(domain, sealPurpose({ id, version }), sealed, now)
    const material =
      objectType === 'Private Key'
        ? createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' })
        : createSecretKey(bytes)
    bytes.fill(0)
    return material
  })
  return found as MaybePromise<KeyObject> // the read throws if none exists
}
