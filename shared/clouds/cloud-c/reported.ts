import { timeRead, UNKNOWN_TIME } from '../../cloud/adapter/dates.ts'
import { defined } from '../../base/fields.ts'
import type * as z from 'zod'
import { containerById, findContainerFor } from '../../cloud/containers/find-container.ts'
import { containersWith, reportOn } from '../../cloud/keys/report-keys.ts'
import { currentVersion } from '../../cloud/keys/versions/find-version.ts'
import { ROWS_A_PAGE, type Reported } from '../../work/report/reported.ts'
import type { ContentRow } from '../../work/report/store.ts'
import { serviceAccountOf } from './adapter/service-account.ts'
import type { CloudCAuditEntry, CloudCPlace } from './adapter/types.ts'
import { keyKind } from './keys/kind.ts'
import { cloudCKeys, keysOfRing, type StoredCloudCKey } from './keys/store.ts'
import { cloudC } from './adapter.ts'
import { openRing } from './place.ts'
import { reportModel } from './report-model.ts'
import { ringKind } from './rings/kind.ts'
import type { StoredCloudCRing } from './rings/store.ts'
import { NAME } from './name.ts'

/** Fields of every row about a key of a ring, or about the ring as a whole. Keys of this cloud do not expire. */
const about =
  (ring: StoredCloudCRing) =>
  (key_name: string): ContentRow => {
    const organization = ring.organization_display_name ?? ring.organization_name
    return {
      key_name,
      key_ring: ring.name,
      project: ring.project_id,
      region: ring.location,
      ...defined({ organization }),
      cloud_name: ring.cloud_name,
      key_expiration: null,
    }
  }

/** The cloud identifies entries by these three together. */
const idOf = ({ insert_id, time, log }: CloudCAuditEntry): string => `${insert_id} ${time} ${log}`

/**
 * Entries of the audit log of a ring's project. Ours: an entry is this service's own if the caller is the account of
 * the ring's connection.
 */
const auditEntries =
  (ring: StoredCloudCRing, place: CloudCPlace, span: { readonly from: Date; readonly to: Date }) =>
  async (cursor: string | undefined) => {
    const { client_email } = serviceAccountOf(place.connection.key_file)
    const query = { rings: [ring.name] as const, ...span, page_size: ROWS_A_PAGE, page_token: cursor }
    const { items, next_page_token: next } = await cloudC.auditEntries(place, query)
    const entries = items.map((item) => ({
      id: idOf(item),
      ref: item.key_name ?? '',
      activity: item.activity,
      at: timeRead(item.time) ?? UNKNOWN_TIME, // milliseconds, like all other times, so that they sort
      user: item.user_name ?? '',
      isOurs: item.user_name === client_email,
      error: item.failed_code === undefined ? undefined : String(item.failed_code),
    }))
    return { entries, next }
  }

/** Ours: a key's age counts from the material that it uses. */
async function ageOf(domain: string, key: StoredCloudCKey) {
  const { key_name, create_time } = key.cloud_c_params
  const current = (await currentVersion(keyKind, domain, key))?.cloud_c_params
  return {
    ref: key_name,
    since: current?.import_time ?? current?.generate_time ?? current?.create_time ?? create_time,
    isRotated: current !== undefined && current.version !== '1',
  }
}

/** Reports on key rings of cloud-c. */
export const cloudCReported: Reported<z.infer<typeof reportModel.create>> = {
  cloud: NAME,
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
  containersWith: containersWith(ringKind, 'removing key rings'),
  open: async (domain, container, report, { now, budget }) => {
    const { item: ring } = await containerById(ringKind, domain, container.id)
    const keys = { domain, keys: cloudCKeys, family: keysOfRing(ring.id), about: about(ring) }
    const log = async () => {
      const place = await openRing(domain, ring, { now, budget, patience: 'job' })
      return auditEntries(ring, place, { from: new Date(report.start_time), to: new Date(report.end_time) })
    }
    return reportOn(report, container, { now, budget }, { keys, ageOf: (key) => ageOf(domain, key), log })
  },
}
