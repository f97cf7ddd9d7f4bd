import { Refusal } from '../../../base/errors.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { localKeys } from '../../../vault/keys/store.ts'
import { recordRefused } from '../act-on-key.ts'
import { keyById } from '../find-key.ts'
import { stageRead } from '../record-key.ts'
import { isAsRead, keyGone, keyRead } from './key-records.ts'
import { bringUp, stageVersions, versionsRead, type Sources } from './compare-versions.ts'
import {
  NO_VERSIONS,
  readWhole,
  type FollowsVersions,
  type VersionKind,
  type VersionedTypes,
  type VersionSource,
  type Whole,
} from './kind.ts'

/**
 * A key as it is after something was done to it; `null` when the cloud does not have it any more. Versions that changed
 * outside this service, more than one transaction takes, are recorded beforehand.
 */
export async function readAfter<T extends VersionedTypes>(
  kind: VersionKind<T>,
  { caller, now }: Pick<Context, 'caller' | 'now'>,
  place: T['place'],
  key: T['key'],
): Promise<Whole<T> | null> {
  const whole = await readWhole(kind, place, kind.keys.refOf(key))
  await bringUp(kind, caller.domain.id, key.id, whole ?? NO_VERSIONS, now)
  return whole ?? null
}

/** A key's record and those of its versions, as they will be. */
interface Recorded<T extends VersionedTypes> {
  readonly key: Stored<T['key']>
  readonly versions: readonly Stored<T['version']>[]
}

/** Stages the records of versions as read. @returns them, and the key's record as it follows, not staged */
export async function followVersions<T extends VersionedTypes>(
  kind: FollowsVersions<T>,
  { caller, changes, now }: Pick<Context, 'caller' | 'changes' | 'now'>,
  key: T['key'],
  whole: Whole<T> | null,
  sources?: Sources,
): Promise<{ key: T['key']; versions: Recorded<T>['versions'] }> {
  const domain = caller.domain.id
  const read = await versionsRead(kind, domain, key.id, whole ?? NO_VERSIONS, now, sources)
  stageVersions(kind, changes, domain, read.changes)
  if (whole === null) return { key: keyGone(key, now), versions: read.all }
  const isSame = read.changes.length === 0 && isAsRead(kind, key, whole)
  return { key: isSame ? key : keyRead(kind, key, whole, read.all, now), versions: read.all }
}

/** Stages the records as the cloud describes the key now. @param then what else is true of the key */
export async function recordVersions<T extends VersionedTypes>(
  kind: FollowsVersions<T>,
  context: Context,
  before: Stored<T['key']>,
  whole: Whole<T> | null,
  sources?: Sources,
  then: (key: T['key']) => T['key'] = (key) => key,
): Promise<Recorded<T>> {
  const { key, versions } = await followVersions(kind, context, before.item, whole, sources)
  return { key: stageRead(kind.keys, context, before, then(key)), versions }
}

/** Records what was done to a key's versions before a refusal, as far as the key may be read. Nothing is taken back. */
export const recordVersionsRefused = <T extends VersionedTypes>(
  kind: FollowsVersions<T>,
  context: Context,
  keyId: string,
  sources?: Sources,
): Promise<void> =>
  recordRefused(kind.keys, context, keyId, (before, whole) => recordVersions(kind, context, before, whole, sources))

/**
 * One of the versions recorded just now, as shown.
 * @throws Refusal STATE_CONFLICT when the cloud does not have it any more
 */
function recordedVersion<T extends VersionedTypes>(
  { refOf, present }: VersionKind<T>,
  { key, versions }: Recorded<T>,
  ref: string,
): Stored<T['versionShown']> {
  const version = versions.find(({ item }) => refOf(item) === ref)
  if (version === undefined) throw new Refusal('STATE_CONFLICT', 'The cloud no longer has this version.')
  return { item: present(version.item, key.item), rev: version.rev }
}

/** Stages what was read of a key after work on one of its versions. @returns the version as shown */
export const settleVersion = async <T extends VersionedTypes>(
  kind: FollowsVersions<T>,
  context: Context,
  keyId: string,
  whole: Whole<T> | null,
  ref: string,
  sources?: Sources,
  then?: (key: T['key']) => T['key'],
): Promise<Stored<T['versionShown']>> => {
  const before = await keyById(kind.keys, context, keyId)
  return recordedVersion(kind, await recordVersions(kind, context, before, whole, sources, then), ref)
}

/** The local key that a version's material is from, as its record names it. One read. */
export async function sourceOf({ caller }: Pick<Context, 'caller'>, localKeyId: string): Promise<VersionSource> {
  const source = await localKeys.get(caller.domain.id, localKeyId)
  return {
    key_material_origin: 'keymgr',
    local_key_id: localKeyId,
    ...(source && { local_key_name: source.item.name, local_key_version: source.item.version }),
  }
}
