import { Refusal } from '../../../base/errors.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { recordRefused } from '../act-on-key.ts'
import { keyById } from '../find-key.ts'
import { stageRead, unreadKey } from '../record-key.ts'
import { localSource } from '../source-key.ts'
import { isAsRead, keyGone, keyRead } from './key-records.ts'
import { stageVersions, versionsRead, type Sources } from './compare-versions.ts'
import {
  NO_VERSIONS,
  storedVersions,
  type VersionedKind,
  type VersionedTypes,
  type VersionSource,
  type Whole,
} from './kind.ts'

/** The new records of a key and its versions. */
interface Recorded<T extends VersionedTypes> {
  readonly key: Stored<T['key']>
  readonly versions: readonly Stored<T['version']>[]
}

/** Stages the records of versions as read. @returns them, and the resulting record of the key, not staged */
export async function followVersions<T extends VersionedTypes>(
  kind: VersionedKind<T>,
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

/**
 * Stages the records updated with the cloud's description of the key. @param then applies further facts to the key's
 * record
 */
export async function recordVersions<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  context: Context,
  before: Stored<T['key']>,
  whole: Whole<T> | null,
  sources?: Sources,
  then: (key: T['key']) => T['key'] = (key) => key,
): Promise<Recorded<T>> {
  const { key, versions } = await followVersions(kind, context, before.item, whole, sources)
  return { key: stageRead(kind, context, before, then(key)), versions }
}

/** Records the effects of a refused action on a key's versions, as far as the key may be read. Undoes nothing. */
export const recordVersionsRefused = <T extends VersionedTypes>(
  kind: VersionedKind<T>,
  context: Context,
  keyId: string,
  sources?: Sources,
): Promise<void> =>
  recordRefused(kind, context, keyId, (before, whole) => recordVersions(kind, context, before, whole, sources))

/**
 * One of the versions recorded just now, as shown.
 * @throws Refusal STATE_CONFLICT when the cloud no longer has it
 */
function recordedVersion<T extends VersionedTypes>(
  { versions: { refOf, present } }: VersionedKind<T>,
  { key, versions }: Recorded<T>,
  ref: string,
): Stored<T['versionShown']> {
  const version = versions.find(({ item }) => refOf(item) === ref)
  if (version === undefined) throw new Refusal('STATE_CONFLICT', 'The cloud no longer has this version.')
  return { item: present(version.item, key.item), rev: version.rev }
}

/** Stages a reading of a key after an action on one of its versions. @returns the version as shown */
export const settleVersion = async <T extends VersionedTypes>(
  kind: VersionedKind<T>,
  context: Context,
  keyId: string,
  whole: Whole<T> | null,
  ref: string,
  sources?: Sources,
  then?: (key: T['key']) => T['key'],
): Promise<Stored<T['versionShown']>> => {
  const before = await keyById(kind, context, keyId)
  return recordedVersion(kind, await recordVersions(kind, context, before, whole, sources, then), ref)
}

/** Marks a key as unread after an action on one of its versions. @returns the version as recorded before */
export async function settleUnread<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  context: Context,
  keyId: string,
  ref: string,
): Promise<Stored<T['versionShown']>> {
  const before = await keyById(kind, context, keyId)
  const key = stageRead(kind, context, before, unreadKey(before.item, context.now))
  return recordedVersion(kind, { key, versions: await storedVersions(kind, context.caller.domain.id, keyId) }, ref)
}

/** The recorded source of a version's material. One read. */
export const sourceOf = async (context: Pick<Context, 'caller'>, localKeyId: string): Promise<VersionSource> => ({
  key_material_origin: 'keymgr',
  ...(await localSource(context, localKeyId)),
})
