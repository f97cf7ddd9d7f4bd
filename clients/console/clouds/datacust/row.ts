import { callTo } from '../../calls.ts'
import { described, type Choice, type FieldRow } from '../../forms/fields.ts'
import { filtersOf } from '../../list/filters.tsx'
import { read, recordsAt } from '../../service.ts'
import { CLOUD_FILTERS, DATES, LOCAL_KEY } from '../choices.ts'
import type { CloudRow } from '../row.ts'
import { ACTIONS, BULK, TONES, VERSION_ACTIONS, type DatacustKey } from './actions.ts'
import { CONNECTION } from './connection.ts'
import { CONTAINERS, groups, type DatacustGroup } from './containers.ts'
import { createDatacustKey, listDatacustKeys, uploadDatacustKey } from './described.ts'
import { ENDPOINTS } from './endpoints.ts'
import { REPORTS } from './reports.ts'
import { RESOURCES } from './resources.ts'

const groupChoices = async (): Promise<readonly Choice[]> =>
  (await groups()).map(({ id: value, name, keystore_provider: provider }) => ({ value, label: `${name} ${provider}` }))
const PLACE: readonly FieldRow[] = [
  { name: 'group', label: 'Group', choices: groupChoices },
  { name: 'name', label: 'Name' },
  { name: 'type', label: 'Type', initial: 'AES' },
  { name: 'operations', label: 'Operations', initial: 'ENCRYPT\nDECRYPT', hint: 'One on each line.' },
]
const REST: readonly FieldRow[] = [
  { name: 'description', label: 'Description' },
  { name: 'exportable', label: 'Exportable from the platform' },
]

export const datacust: CloudRow<DatacustKey, DatacustGroup> = {
  name: 'datacust',
  title: 'Datacust',
  connection: CONNECTION,
  containers: CONTAINERS,
  reports: REPORTS,
  endpoints: ENDPOINTS,
  more: RESOURCES,
  keys: {
    place: 'Group',
    uri: 'keymgr:datacust-key',
    ...recordsAt('/v1/keymgr/datacust/keys'),
    summary: ({ datacust_param: cloud, ...key }) => ({
      ...{ id: key.id, uri: key.uri, name: cloud.name, createdAt: key.createdAt },
      ...(key.gone ? { state: 'Gone', tone: 'waiting' as const } : { state: key.status, tone: TONES[key.status] }),
      place: key.datacust_group_name,
      spec: `${cloud.type} ${cloud.size ?? ''}`,
      isRotated: key.version_count > 1,
    }),
    attributes: ({ datacust_param: cloud, ...key }) => [
      ['Id at the cloud', cloud.id],
      ['Description', cloud.description],
      ['Operations', cloud.operations.join(', ')],
      ['Role', cloud.role],
      ['Exportable', cloud.exportable === true ? 'Yes' : 'No'],
      ['Versions', String(key.version_count)],
      ['Material from', key.origin],
      ['Local key', key.local_key_name],
      ['Tenant', key.tenant],
      ['Application', key.datacust_application],
      ['Backup', key.backup_at],
      ['Made at the cloud', cloud.meta?.created],
      ['Fault', key.error],
    ],
    versions: async ({ id }, signal) => {
      const query = { limit: 100, sort: '-createdAt' }
      const { resources } = await read('/v1/keymgr/datacust/keys/{id}/versions', { path: { id }, query, signal })
      return resources.map((version) => ({
        ...{ id: version.id, of: version, uri: version.uri, createdAt: version.createdAt },
        ...(version.enabled
          ? { state: 'Enabled', tone: 'good' as const }
          : { state: 'Disabled', tone: 'quiet' as const }),
        title: `Version ${version.version}${version.is_primary ? ', current' : ''}`,
      }))
    },
    common: {
      ...{ name: 'name', knowsRotation: true },
      ...{ material: 'key_material_origin', usable: { gone: 'false' } },
    },
    filters: filtersOf(listDatacustKeys, [
      { name: 'name', label: 'Name', isFirst: true },
      { name: 'group', label: 'Group', isFirst: true },
      { name: 'status', label: 'State', isFirst: true },
      { name: 'type', label: 'Type', values: createDatacustKey.type.words },
      { name: 'tenant', label: 'Tenant' },
      { name: 'local_key_id', label: 'Local key id' },
      ...CLOUD_FILTERS,
      ...DATES,
    ]),
    states: Object.entries(TONES).map(([state, tone]) => ({ title: state, tone, filters: { status: state } })),
    actions: ACTIONS,
    versionActions: VERSION_ACTIONS,
    bulk: BULK,
    ways: [
      {
        ...{ name: 'upload', title: 'Upload to datacust' },
        about: 'Brings the material of a local AES, RSA or EC key into a new key of a group.',
        fields: described(uploadDatacustKey, [...PLACE, LOCAL_KEY, ...REST, { name: 'role', label: 'Role' }]),
        call: (body) => callTo('post', '/v1/keymgr/datacust/upload-key', { body }),
      },
      {
        ...{ name: 'create', title: 'Create in datacust', about: 'The cloud makes the material itself.' },
        fields: described(createDatacustKey, [
          ...PLACE,
          {
            ...{ name: 'size', label: 'Bits', initial: '256', hint: 'AES 128, 192, 256; RSA 2048, 3072, 4096.' },
            when: ({ type }) => type !== 'EC',
          },
          { name: 'curve', label: 'Curve', when: ({ type }) => type === 'EC' },
          ...REST,
        ]),
        call: (body) => callTo('post', '/v1/keymgr/datacust/keys', { body }),
      },
    ],
  },
}
