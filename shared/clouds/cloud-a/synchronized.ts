import type { CloudAKeyRead } from './adapter/types.ts'
import { uuid } from '../../base/ids.ts'
import { KEY_TAG } from './keys/model.ts'
import type { StoredCloudAKey } from './keys/store.ts'
import type { StoredCloudAKms } from './kms/store.ts'
import { isBeingMade } from '../../cloud/keys/being-made.ts'
import { synchronizedKeys } from '../../cloud/keys/synchronize.ts'
import { containerById } from '../../cloud/containers/find-container.ts'
import { assertActive, assertRegion, kmsKind } from './kms/kind.ts'
import { newKeyRecord, refreshed } from './keys/records.ts'
import { withHistory } from './keys/same-key.ts'
import { keyKind, type CloudATypes } from './keys/kind.ts'
import { CONTAINER_LIST } from './name.ts'
import { cloudA } from './adapter.ts'

const hasSameAliases = ({ cloud_a_param: known }: StoredCloudAKey, { param }: CloudAKeyRead): boolean =>
  JSON.stringify(known.Alias) === JSON.stringify(param.Alias)

/** An existing, active entry that has the region. @throws Refusal NOT_FOUND, STATE_CONFLICT, RULE_BROKEN */
export async function entryWith(domain: string, id: string, region: string): Promise<StoredCloudAKms> {
  const { item } = await containerById(kmsKind, domain, id)
  assertActive(item)
  assertRegion(item, region)
  return item
}

/** Regions of cloud-a's accounts. */
export const cloudASynchronized = synchronizedKeys<CloudATypes, CloudAKeyRead>(keyKind, {
  may: 'keysynchronize',
  containerList: CONTAINER_LIST,
  isRead: ({ status }) => status === 'active',
  read: async ({ domain, stored: { item: kms }, region, place }) => {
    return {
      survey: await cloudA.survey(place),
      refs: (cursor) => cloudA.refs(place, cursor),
      /** The survey's list of aliases is from its beginning; the key's aliases may have changed since then. */
      refreshed: async (record, read, now) => {
        const isOther = read !== undefined && !hasSameAliases(record, read)
        const fresh = refreshed(record, isOther ? await cloudA.read(place, read.ref) : read, now)
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
  noted: (kms, regions, now) => {
    const read = regions.filter((region) => kms.regions.includes(region))
    if (read.length === 0) return undefined
    const at = now.toISOString()
    return { ...kms, synchronized: { ...kms.synchronized, ...Object.fromEntries(read.map((region) => [region, at])) } }
  },
})
