import type { CloudCKeyRead, CloudCPlace } from './adapter/types.ts'
import type { Survey } from '../../cloud/contract.ts'
import { Refusal } from '../../base/errors.ts'
import { uuid } from '../../base/ids.ts'
import { KEY_LABEL } from './param.ts'
import { Changes, commitUnlessDone } from '../../store/changes.ts'
import { cloudCKeys, keysOfRing, type CloudCKeyRow, type StoredCloudCKey } from './keys/store.ts'
import { cloudCRings, type StoredCloudCRing } from './rings/store.ts'
import { isBeingMade } from '../../cloud/keys/being-made.ts'
import type { ContainerPlaces, OpenPlace, Synchronized } from '../../work/synchronize/synchronized.ts'
import { bringUp } from '../../cloud/keys/versions/compare-versions.ts'
import { readWhole } from '../../cloud/keys/versions/version-kind.ts'
import { versionKind } from './keys/kinds.ts'
import { gone, isAsRead, newKeyRecord, refreshed, type WholeKey } from './keys/records.ts'
import { cloudC, openRing } from './place.ts'
import { containerById, everyContainerFor, findContainerFor } from '../../cloud/containers/find-container.ts'
import { ringKind } from './rings/ring-kind.ts'

const SYNCHRONIZE = 'keysynchronize'

const placesOf = ({ id, name, location }: StoredCloudCRing): ContainerPlaces => ({ id, name, regions: [location] })

/** Writes the records of a key's versions, all of them. @returns the key's record then */
async function withVersions(
  domain: string,
  key: StoredCloudCKey,
  whole: WholeKey,
  now: Date,
): Promise<StoredCloudCKey> {
  const { all } = await bringUp(versionKind, domain, key.id, whole, now, 0)
  return refreshed(key, whole, all, now)
}

/**
 * The record as the cloud has its key now. The survey's list was made at the beginning: a key of which it says something
 * else than the record, or nothing, is read again, because it may have been changed or made since.
 */
async function readAgain(
  domain: string,
  place: CloudCPlace,
  record: StoredCloudCKey,
  surveyed: WholeKey | undefined,
  now: Date,
): Promise<StoredCloudCKey> {
  if (surveyed !== undefined && isAsRead(record, surveyed)) return record
  const whole = await readWhole(versionKind, place, record.cloud_c_params.key_name)
  if (whole === undefined) return gone(record, now)
  return isAsRead(record, whole) ? record : withVersions(domain, record, whole, now)
}

/** Its versions come after the key's record: until they are there, it says that they are not. */
async function recordVersions(domain: string, keyId: string, whole: WholeKey, now: Date): Promise<void> {
  const stored = await cloudCKeys.get(domain, keyId)
  if (stored === undefined) return
  const changes = new Changes()
  changes.update(cloudCKeys, domain, stored, await withVersions(domain, stored.item, whole, now))
  await commitUnlessDone(changes, now) // another writer of the key brings it up to date
}

/** Of the survey's keys, the versions are read one key after the other. */
const withTheirVersions = (place: CloudCPlace, survey: Survey<CloudCKeyRead>): Survey<WholeKey> => ({
  read: async (ref) => {
    const key = await survey.read(ref)
    if (key === undefined) return undefined
    try {
      return { key, versions: await (await cloudC()).versions(place, ref) }
    } catch (error) {
      if (error instanceof Refusal && error.reason === 'CLOUD_NOT_FOUND') return undefined
      throw error
    }
  },
})

const NO_VERSIONS_YET = ''

function openPlace(domain: string, ring: StoredCloudCRing, place: CloudCPlace, survey: Survey<CloudCKeyRead>) {
  const opened: Omit<OpenPlace<WholeKey, StoredCloudCKey>, 'refs'> = {
    survey: withTheirVersions(place, survey),
    refreshed: (record, read, now) => readAgain(domain, place, record, read, now),
    found: async (read, now) => {
      if (await isBeingMade(domain, read.key.param.labels[KEY_LABEL])) return undefined
      const record = newKeyRecord(domain, ring, read, [], { id: uuid(now), now, create_status: 'success' })
      return { ...record, versions_digest: NO_VERSIONS_YET }
    },
    recorded: (record, read, now) => recordVersions(domain, record.id, read, now),
  }
  return opened
}

/** Keys of key rings, with their versions. */
export const cloudCSynchronized: Synchronized<WholeKey, StoredCloudCKey, CloudCKeyRow> = {
  entity: cloudCKeys,
  placeName: (container) => container,
  family: keysOfRing,
  refOf: ({ cloud_c_params: { key_name } }) => key_name,
  isGone: (key) => key.gone,
  named: (context, references) =>
    Promise.all(
      references.map(async (reference, at) => {
        const field = { pointer: `#/key_rings/${at}`, detail: 'is not there' }
        return placesOf((await findContainerFor(ringKind, context, reference, SYNCHRONIZE, field)).item)
      }),
    ),
  all: async ({ caller }) => (await everyContainerFor(ringKind, caller, SYNCHRONIZE)).map(placesOf),
  open: async (domain, container, _region, { now, budget }) => {
    const { item: ring } = await containerById(ringKind, domain, container)
    const place = await openRing(domain, ring, { now, budget, patience: 'job' })
    const cloud = await cloudC()
    return {
      ...openPlace(domain, ring, place, await cloud.survey(place)),
      refs: (cursor) => cloud.refs(place, cursor),
    }
  },
  assertThere: async (domain, container) => {
    await containerById(ringKind, domain, container)
  },
  noteSynchronized: async (changes, domain, container, _regions, now) => {
    const stored = await cloudCRings.get(domain, container)
    if (stored === undefined) return
    changes.update(cloudCRings, domain, stored, { ...stored.item, refreshed_at: now.toISOString() })
  },
}
