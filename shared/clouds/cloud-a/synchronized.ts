import type { CloudAKeyRead } from './adapter/types.ts'
import { uuid } from '../../base/ids.ts'
import { KEY_TAG } from './keys/model.ts'
import { cloudAKeys, placeOfKeys, type CloudAKeyRow, type StoredCloudAKey } from './keys/store.ts'
import { cloudAKms, type StoredCloudAKms } from './kms/store.ts'
import { isBeingMade } from '../../cloud/keys/being-made.ts'
import { unreadKey } from '../../cloud/keys/record-key.ts'
import type { ContainerPlaces, Synchronized } from '../../work/synchronize/synchronized.ts'
import { containerById, everyContainerFor, findContainersFor } from '../../cloud/containers/find-container.ts'
import { assertActive, assertRegion, kmsKind } from './kms/kind.ts'
import { newKeyRecord, refreshed } from './keys/records.ts'
import { withHistory } from './keys/same-key.ts'
import { cloudA, openPlace } from './place.ts'

const SYNCHRONIZE = 'keysynchronize'

const placesOf = ({ id, name, regions }: StoredCloudAKms): ContainerPlaces => ({ id, name, regions })

const hasSameAliases = ({ cloud_a_param: known }: StoredCloudAKey, { param }: CloudAKeyRead): boolean =>
  JSON.stringify(known.Alias) === JSON.stringify(param.Alias)

/** An entry that is there, active, and has the region. @throws Refusal NOT_FOUND, STATE_CONFLICT, RULE_BROKEN */
export async function entryWith(domain: string, id: string, region: string): Promise<StoredCloudAKms> {
  const { item } = await containerById(kmsKind, domain, id)
  assertActive(item)
  assertRegion(item, region)
  return item
}

/** Regions of cloud-a's accounts. */
export const cloudASynchronized: Synchronized<CloudAKeyRead, StoredCloudAKey, CloudAKeyRow> = {
  entity: cloudAKeys,
  placeName: (container, region) => `${container}/${region}`,
  family: placeOfKeys,
  refOf: ({ cloud_a_param: { KeyID } }) => KeyID,
  isGone: ({ gone }) => gone,
  unread: unreadKey,
  named: async (context, references) =>
    (await findContainersFor(kmsKind, context, references, SYNCHRONIZE, 'kms')).map(placesOf),
  all: async ({ caller }) =>
    (await everyContainerFor(kmsKind, caller, SYNCHRONIZE)).filter(({ status }) => status === 'active').map(placesOf),
  open: async (domain, container, region, { now, budget }) => {
    const kms = await entryWith(domain, container, region)
    const place = await openPlace(domain, kms, { region, now, budget, patience: 'job' })
    const cloud = await cloudA()
    return {
      survey: await cloud.survey(place),
      refs: (cursor) => cloud.refs(place, cursor),
      /** The survey's list of aliases was made at its beginning; since then the key may have got or lost some. */
      refreshed: async (record, read, now) => {
        const isOther = read !== undefined && !hasSameAliases(record, read)
        const fresh = refreshed(record, isOther ? await cloud.read(place, read.ref) : read, now)
        return withHistory(domain, fresh)
      },
      found: async (read, now) => {
        if (await isBeingMade(domain, read.param.Tags.find(({ TagKey }) => TagKey === KEY_TAG)?.TagValue))
          return undefined
        const key = newKeyRecord(domain, kms, region, read, {
          id: uuid(now),
          now,
          key_material_origin: read.param.Origin === 'EXTERNAL' ? 'unknown' : 'native',
          rotation_status: '',
        })
        return withHistory(domain, key)
      },
    }
  },
  assertThere: async (domain, container, region) => {
    await entryWith(domain, container, region)
  },
  noteSynchronized: async (changes, domain, container, regions, now) => {
    const stored = await cloudAKms.get(domain, container)
    if (stored === undefined) return
    const read = regions.filter((region) => stored.item.regions.includes(region))
    if (read.length === 0) return
    const at = now.toISOString()
    const synchronized = { ...stored.item.synchronized, ...Object.fromEntries(read.map((region) => [region, at])) }
    changes.update(cloudAKms, domain, stored, { ...stored.item, synchronized })
  },
}
