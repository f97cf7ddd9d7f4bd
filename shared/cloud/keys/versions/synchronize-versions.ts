import { defined } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import { uuid } from '../../../base/ids.ts'
import { Changes, commitUnlessDone } from '../../../store/changes.ts'
import type { OpenPlace, Others, Survey, Synchronized } from '../../../work/synchronize/synchronized.ts'
import { isBeingMade } from '../being-made.ts'
import { synchronizedKeys } from '../synchronize.ts'
import { readingDigest } from '../reading-digest.ts'
import { bringUp, digestOf } from './compare-versions.ts'
import { isAsRead, keyGone, keyRead, newKeyRecord } from './key-records.ts'
import { NO_VERSIONS, type VersionedKind, type VersionedTypes, type Whole } from './kind.ts'

/** Writes all records of a key's versions. @returns the resulting record of the key */
async function withVersions<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  domain: string,
  key: T['key'],
  whole: Whole<T>,
  now: Date,
): Promise<T['key']> {
  const { all } = await bringUp(kind, domain, key.id, whole, now, 0)
  return keyRead(kind, key, whole, all, now)
}

/**
 * The record updated with its cloud's present description. The survey's list is from the beginning of the job: a key
 * that the list omits, or describes differently than its record, is read again, because it may have been created or
 * changed since.
 */
export async function readAgain<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  domain: string,
  place: T['place'],
  record: T['key'],
  surveyed: Whole<T> | undefined,
  now: Date,
): Promise<T['key']> {
  if (surveyed !== undefined && isAsRead(kind, record, surveyed)) return record
  const whole = await kind.read(place, kind.refOf(record), record)
  if (whole === undefined) {
    if (!record.gone) await bringUp(kind, domain, record.id, NO_VERSIONS, now, 0)
    return keyGone(record, now)
  }
  return isAsRead(kind, record, whole) ? record : withVersions(kind, domain, record, whole, now)
}

/** Records the versions after the key's record, which states until then that it has none. */
async function recordVersions<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  domain: string,
  keyId: string,
  whole: Whole<T>,
  now: Date,
): Promise<void> {
  const { entity } = kind
  const stored = await entity.get(domain, keyId)
  if (stored === undefined) return
  const changes = new Changes()
  changes.update(entity, domain, stored, await withVersions(kind, domain, stored.item, whole, now))
  await commitUnlessDone(changes, now) // a concurrent writer of the key updates the record instead
}

/** The survey of a place, with the versions of each key: they are read key by key. */
const withTheirVersions = <T extends VersionedTypes>(
  kind: VersionedKind<T>,
  place: T['place'],
  survey: Survey<T['read']>,
): Survey<Whole<T>> => ({
  ...defined({ refs: survey.refs }),
  read: async (ref, known) => {
    const key = await survey.read(ref, known)
    if (key === undefined) return undefined
    try {
      return { key, versions: await kind.versions.cloud.versions(place, ref, key) }
    } catch (error) {
      if (error instanceof Refusal && error.reason === 'CLOUD_NOT_FOUND') return undefined
      throw error
    }
  },
})

const NO_VERSIONS_YET = ''

const digestOfWhole = <T extends VersionedTypes>(kind: VersionedKind<T>, { key, versions }: Whole<T>): string =>
  readingDigest({ ...kind.versions.keyFollowed(key), versions_digest: digestOf(versions) })

async function openPlace<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  domain: string,
  container: T['container'],
  place: T['place'],
): Promise<OpenPlace<Whole<T>, T['key']>> {
  const { cloud } = kind
  return {
    survey: withTheirVersions(kind, place, await cloud.survey(place)),
    refs: (cursor) => cloud.refs(place, cursor),
    refreshed: (record, read, now) => readAgain(kind, domain, place, record, read, now),
    isAsRead: (record, read) => isAsRead(kind, record, read),
    found: async (read, now) => {
      if (await isBeingMade(domain, kind.versions.markOf(read.key))) return undefined
      const record = newKeyRecord(kind, domain, container, read, [], { id: uuid(now), now, create_status: 'success' })
      return { ...record, versions_digest: NO_VERSIONS_YET }
    },
    recorded: (record, read, now) => recordVersions(kind, domain, record.id, read, now),
  }
}

interface SynchronizesVersions<T extends VersionedTypes> {
  /** the permission that a synchronization requires in a container */
  readonly may: string
  /** the field of a body that lists containers */
  readonly containerList: string
  /** whether a synchronization of all containers includes this one */
  readonly isRead?: (container: T['container']) => boolean
  readonly locationOf: (container: T['container']) => string
  /** whether the places of keys in their family have digests (`versionedDigest`); then records are read seldom */
  readonly hasDigests?: true
  /** further resources of a container */
  readonly others?: (domain: string, container: T['container'], place: T['place']) => Others
}

/** Synchronization of keys with their versions, for containers that have a single place. */
export const synchronizedVersions = <T extends VersionedTypes>(
  kind: VersionedKind<T>,
  { others, ...particulars }: SynchronizesVersions<T>,
): Synchronized<Whole<T>, T['key'], T['row']> =>
  synchronizedKeys<T, Whole<T>>(kind, {
    ...particulars,
    read: async ({ domain, stored: { item: container }, place }) => ({
      ...(await openPlace(kind, domain, container, place)),
      ...(particulars.hasDigests && { digestOf: (read: Whole<T>) => digestOfWhole(kind, read) }),
      ...(others && { others: others(domain, container, place) }),
    }),
    noted: (container, _regions, now) => ({ ...container, refreshed_at: now.toISOString() }),
  })
