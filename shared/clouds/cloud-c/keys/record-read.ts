import type { CloudCPlace } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { cloudCKeys, type StoredCloudCKey } from './store.ts'
import type { StoredCloudCVersion } from '../versions/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { isFinal } from '../../../work/sagas/passing.ts'
import type { VersionSource } from '../versions/records.ts'
import { bringUp, readWhole, stageVersions, versionsRead } from './bring-up.ts'
import { reach } from './making.ts'
import { gone, isAsRead, nameIn, refreshed, tellOf, type WholeKey } from './records.ts'

/** A key that work goes on with; the audit record names it. @throws Refusal NOT_FOUND when the record went meanwhile */
export async function keyById(
  context: Pick<Context, 'caller' | 'about'>,
  id: string,
): Promise<Stored<StoredCloudCKey>> {
  const stored = await cloudCKeys.get(context.caller.domain.id, id)
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'The key is not on record any more.')
  nameIn(context, stored.item)
  return stored
}

/**
 * A key as it is after something was done to it; `null` when the cloud does not have it any more. Records of versions
 * that others changed, and that are too many for one transaction, are brought up to date beforehand.
 */
export async function readAfter(context: Context, place: CloudCPlace, key: StoredCloudCKey): Promise<WholeKey | null> {
  const whole = await readWhole(place, key.cloud_c_params.key_name)
  if (whole === undefined) return null
  await bringUp(context.caller.domain.id, key.id, whole, context.now)
  return whole
}

/** What else is true of a key and its versions besides what the cloud says. */
export interface Besides {
  /** by number: where the material of versions is from that we brought in */
  readonly sources?: ReadonlyMap<string, VersionSource>
  readonly then?: (key: StoredCloudCKey) => StoredCloudCKey
}

/** The records as they will be. */
export interface Recorded {
  readonly key: Stored<StoredCloudCKey>
  readonly versions: readonly Stored<StoredCloudCVersion>[]
}

/** Stages the records as the cloud describes the key now, and what else is true. Unchanged, they are not written. */
export async function recordRead(
  context: Context,
  before: Stored<StoredCloudCKey>,
  whole: WholeKey | null,
  { sources, then = (key) => key }: Besides = {},
): Promise<Recorded> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const { item } = before
  const versions = whole && (await versionsRead(domain, item.id, whole, now, sources))
  if (versions) stageVersions(changes, domain, versions.changes)
  const isSame = whole !== null && versions?.changes.length === 0 && isAsRead(item, whole)
  const fresh = whole === null ? gone(item, now) : isSame ? item : refreshed(item, whole, versions?.all ?? [], now)
  const after = then(fresh)
  const all = versions?.all ?? []
  tellOf(context, after, before.item)
  if (after === item) return { key: before, versions: all }
  const written = { ...after, updatedAt: now.toISOString() }
  changes.update(cloudCKeys, domain, before, written)
  return { key: { item: written, rev: before.rev + 1 }, versions: all }
}

/** What was done before a refusal is on record, as far as the key may be read. Nothing is taken back. */
export async function recordRefused(context: Context, keyId: string, besides: Besides = {}): Promise<void> {
  const stored = await cloudCKeys.get(context.caller.domain.id, keyId)
  if (stored === undefined) return
  try {
    const place = await reach(context, stored.item.key_ring_id)
    await recordRead(context, stored, await readAfter(context, place, stored.item), besides)
  } catch (error) {
    if (!isFinal(error)) throw error
  }
}
