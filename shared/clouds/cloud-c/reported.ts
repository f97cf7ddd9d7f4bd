import type * as z from 'zod'
import { serviceAccountOf } from './adapter/service-account.ts'
import type { CloudCAuditEntry, CloudCPlace } from './adapter/types.ts'
import { atOnce } from '../../base/at-once.ts'
import { ORIGINS } from '../../work/report/model.ts'
import { reportModel } from './report-model.ts'
import { cloudCKeys, keysOfRing, type StoredCloudCKey } from './keys/store.ts'
import { cloudCRings, type StoredCloudCRing } from './rings/store.ts'
import { cloudCVersions, versionsOf, type StoredCloudCVersion } from './versions/store.ts'
import { versionSortKey } from '../../store/layout.ts'
import type { ContentRow } from '../../work/report/store.ts'
import { containersPermitting } from '../../cloud/containers/permitting.ts'
import { pageOfAges, rememberedKeys } from '../../work/report/remembered-keys.ts'
import { ROWS_A_PAGE, type Entry, type OpenContainer, type Reported } from '../../work/report/reported.ts'
import { cloudC, openRing } from './place.ts'
import { containerById, findContainerFor } from '../../cloud/containers/find-container.ts'
import { ringKind } from './rings/ring-kind.ts'

/** Keys of which the current version is read side by side. */
const KEYS_AT_ONCE = 8

/** Fields of every row about a key of a ring, or about the ring as a whole. The cloud knows no expiry of keys. */
function aboutKey(ring: StoredCloudCRing, name: string, key: StoredCloudCKey | undefined): ContentRow {
  const organization = ring.organization_display_name ?? ring.organization_name
  return {
    key_name: name,
    key_ring: ring.name,
    project: ring.project_id,
    region: ring.location,
    ...(organization !== undefined && { organization }),
    cloud_name: ring.cloud_name,
    key_expiration: null,
    origin: key === undefined ? null : ORIGINS[key.key_material_origin],
  }
}

/** The cloud names entries by these three together. */
const idOf = ({ insert_id, time, log }: CloudCAuditEntry): string => `${insert_id} ${time} ${log}`

/**
 * What was done with the keys of a ring, from the audit log of its project. Ours: it was this service when it was the
 * account of the ring's connection.
 */
async function activityOf(
  domain: string,
  ring: StoredCloudCRing,
  place: CloudCPlace,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<OpenContainer> {
  const cloud = await cloudC()
  const { client_email } = serviceAccountOf(place.connection.key_file)
  const records = rememberedKeys(cloudCKeys, domain, keysOfRing(ring.id))
  const rings: readonly [string] = [ring.name]
  return {
    page: async (cursor) => {
      const query = { rings, from, to, page_size: ROWS_A_PAGE, page_token: cursor }
      const { items, next_page_token: next } = await cloud.auditEntries(place, query)
      const keys = await records(items.flatMap(({ key_name }) => key_name ?? []))
      const entries = items.map((item): Entry => {
        const { key_name = '', user_name = '', activity, time, failed_code: code } = item
        const about = aboutKey(ring, key_name, keys.get(key_name))
        const keymgr_operation = user_name === client_email
        const modified_time = new Date(time).toISOString() // the cloud's nanoseconds would not sort among other times
        const done = { key_activity: activity, modified_time, user_name, keymgr_operation }
        return { id: idOf(item), row: { ...about, ...done, ...(code !== undefined && { error_code: String(code) }) } }
      })
      return { entries, next }
    },
  }
}

/** The version that a key encrypts or signs with: its primary, or else its newest. */
async function currentOf(domain: string, key: StoredCloudCKey): Promise<StoredCloudCVersion | undefined> {
  const { primary } = key.cloud_c_params
  const number = primary === undefined ? key.version_count : Number(primary.slice(primary.lastIndexOf('/') + 1))
  const id = await cloudCVersions.member(domain, { name: versionsOf(key.id), key: versionSortKey(number) })
  return id === undefined ? undefined : (await cloudCVersions.get(domain, id))?.item
}

/** Ours: what a key's age counts from is the material it works with. */
async function ageOf(domain: string, ring: StoredCloudCRing, key: StoredCloudCKey): Promise<Entry> {
  const { key_name, create_time } = key.cloud_c_params
  const current = (await currentOf(domain, key))?.cloud_c_params
  return {
    id: key_name,
    row: {
      ...aboutKey(ring, key_name, key),
      key_activity: current === undefined || current.version === '1' ? 'Created' : 'Rotated',
      modified_time: current?.import_time ?? current?.generate_time ?? current?.create_time ?? create_time,
      user_name: '',
      keymgr_operation: key.key_material_origin === 'keymgr',
    },
  }
}

/** How old the keys of a ring are, in the order of their names. */
const agesOf = (domain: string, ring: StoredCloudCRing): OpenContainer => ({
  page: (cursor) =>
    pageOfAges(cloudCKeys, domain, { family: keysOfRing(ring.id), cursor }, (keys) =>
      atOnce(keys, KEYS_AT_ONCE, (key) => ageOf(domain, ring, key)),
    ),
})

/** Reports on key rings of cloud-c. */
export const cloudCReported: Reported<z.infer<typeof reportModel.create>> = {
  cloud: 'cloud-c',
  listedAs: 'key_rings',
  schemas: reportModel,
  columns: [
    ['key name', 'key_name'],
    ['key ring', 'key_ring'],
    ['key activity', 'key_activity'],
    ['project', 'project'],
    ['modified date', 'modified_time'],
    ['cloud', 'cloud_name'],
  ],
  named: (context, { cloud_c_params: params }) =>
    Promise.all(
      params.map(async ({ key_ring }, at) => {
        const field = { pointer: `#/cloud_c_params/${at}/key_ring`, detail: 'is no key ring that you may see' }
        const { item: ring } = await findContainerFor(ringKind, context, key_ring, 'reportcreate', field)
        return { id: ring.id, name: ring.name, listed: ring.name, place: ring.location }
      }),
    ),
  containersWith: async (caller, action) =>
    new Set((await containersPermitting(cloudCRings, caller, [action], 'removing key rings')).map(({ id }) => id)),
  open: async (domain, { id }, { report_type, start_time, end_time }, { now, budget }) => {
    const { item: ring } = await containerById(ringKind, domain, id)
    if (report_type === 'key-aging') return agesOf(domain, ring)
    const place = await openRing(domain, ring, { now, budget, patience: 'job' })
    return activityOf(domain, ring, place, { from: new Date(start_time), to: new Date(end_time) })
  },
}
