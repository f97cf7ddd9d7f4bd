import type * as z from 'zod'
import { Refusal } from '../../base/errors.ts'
import { containerById, findContainerFor } from '../../cloud/containers/find-container.ts'
import { containersWith, reportOn } from '../../cloud/keys/report-keys.ts'
import { currentVersion } from '../../cloud/keys/versions/find-version.ts'
import type { Reported } from '../../work/report/reported.ts'
import type { ContentRow } from '../../work/report/store.ts'
import { groupKind } from './groups/kind.ts'
import type { StoredDatacustGroup } from './groups/store.ts'
import { keyKind } from './keys/kind.ts'
import { datacustKeys, keysOfGroup, type StoredDatacustKey } from './keys/store.ts'
import { NAME } from './name.ts'
import { reportModel } from './report-model.ts'

/** Fields of every row about a key of a group. The cloud has no regions, and no expiry of keys. */
const about =
  ({ name: group, tenant = '', cloud_name }: StoredDatacustGroup) =>
  (key_id: string, key: StoredDatacustKey | undefined): ContentRow => ({
    key_name: key?.datacust_param.name ?? '',
    key_id,
    group,
    tenant,
    region: '',
    cloud_name,
    key_expiration: null,
  })

/** Ours: a key's age counts from its current version. */
async function ageOf(domain: string, key: StoredDatacustKey) {
  const { id, meta } = key.datacust_param
  const created = (await currentVersion(keyKind, domain, key))?.param.created ?? meta?.created
  return { ref: id, since: created ?? key.createdAt, isRotated: key.version_count > 1 }
}

const NO_LOG = new Refusal(
  'NOT_SUPPORTED',
  'The cloud publishes no log of the activity on keys: make a report of their age, or of calls to this service.',
)

/** Reports on groups of datacust. */
export const datacustReported: Reported<z.infer<typeof reportModel.create>> = {
  cloud: NAME,
  listedAs: 'groups',
  schemas: reportModel,
  columns: [
    ['key name', 'key_name'],
    ['key id', 'key_id'],
    ['group', 'group'],
    ['tenant', 'tenant'],
    ['key activity', 'key_activity'],
    ['modified date', 'modified_time'],
    ['cloud', 'cloud_name'],
  ],
  named: (context, { datacust_params: params }) =>
    Promise.all(
      params.map(async ({ group: named }, at) => {
        const field = { pointer: `#/datacust_params/${at}/group`, detail: 'is no group that you may see' }
        const { item: group } = await findContainerFor(groupKind, context, named, 'reportcreate', field)
        return { id: group.id, name: group.name, listed: group.group_id, place: '' }
      }),
    ),
  containersWith: containersWith(groupKind, 'removing groups'),
  open: async (domain, container, report, when) => {
    const { item: group } = await containerById(groupKind, domain, container.id)
    const keys = { domain, keys: datacustKeys, family: keysOfGroup(group.id), about: about(group) }
    const log = () => Promise.reject(NO_LOG)
    return reportOn(report, container, when, { keys, ageOf: (key) => ageOf(domain, key), log })
  },
}
