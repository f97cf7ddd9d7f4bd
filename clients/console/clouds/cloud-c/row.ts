import { createCloudCKey, listCloudCKeys, uploadCloudCKey } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import { described, type Choice, type FieldRow } from '../../forms/fields.ts'
import { callTo } from '../../calls.ts'
import { read, recordsAt } from '../../service.ts'
import { CLOUD_FILTERS, DATES } from '../choices.ts'
import { CLOUD_C_ACTIONS, CLOUD_C_BULK, stateOf, titleOf, toneOf, TONES, type CloudCKey } from './actions.ts'
import { CLOUD_C_VERSION_ACTIONS } from './version-actions.ts'
import type { CloudRow } from '../row.ts'
import { CONNECTION } from './connection.ts'
import { CONTAINERS, rings, type KeyRing } from './containers.ts'
import { REPORTS } from './reports.ts'
import { RESOURCES } from './resources.ts'

const ringChoices = async (): Promise<readonly Choice[]> =>
  (await rings()).map(({ id, name }) => ({ value: id, label: name }))
const PARAMS: readonly FieldRow[] = [
  { name: 'key_ring', label: 'Key ring', choices: ringChoices },
  { name: 'cloud_c_params/key_name', label: 'Name' },
  { name: 'cloud_c_params/purpose', label: 'Purpose', initial: 'ENCRYPT_DECRYPT' },
  { name: 'cloud_c_params/algorithm', label: 'Algorithm', hint: 'Needed for all but ENCRYPT_DECRYPT.' },
  { name: 'cloud_c_params/protection_level', label: 'Protection' },
]

export const cloudC: CloudRow<CloudCKey, KeyRing> = {
  name: 'cloud-c',
  title: 'Cloud-c',
  connection: CONNECTION,
  containers: CONTAINERS,
  reports: REPORTS,
  more: RESOURCES,
  keys: {
    place: 'Key ring',
    uri: 'keymgr:cloud-c-key',
    ...recordsAt('/v1/keymgr/cloud-c/keys'),
    summary: (key) => ({
      ...{ id: key.id, uri: key.uri, name: key.cloud_c_params.key_name, createdAt: key.createdAt },
      ...{
        state: titleOf(stateOf(key)),
        tone: toneOf(stateOf(key)),
        place: `${key.key_ring_name} · ${key.location_id}`,
      },
      spec: key.cloud_c_params.version_template.algorithm,
      isRotated: key.version_count > 1,
    }),
    attributes: (key) => [
      ['Name at the cloud', key.cloud_c_params.name],
      ['Purpose', key.cloud_c_params.purpose],
      ['Protection', key.cloud_c_params.version_template.protection_level],
      ['Primary version', key.cloud_c_params.primary],
      ['Versions', String(key.version_count)],
      ['Material from', key.key_material_origin],
      ['Local key', key.local_key_name],
      ['Project', key.project_id],
      [
        'Labels',
        Object.entries(key.cloud_c_params.labels)
          .map(([name, value]) => `${name}=${value}`)
          .join(', '),
      ],
      ['Next rotation', key.cloud_c_params.next_rotation_time],
      ['Creation', key.create_status === 'success' ? undefined : key.create_status],
      ['Fault', key.error],
    ],
    versions: async ({ id }, signal) => {
      const query = { limit: 100, sort: '-createdAt' }
      const { resources } = await read('/v1/keymgr/cloud-c/keys/{id}/versions', { path: { id }, query, signal })
      return resources.map((version) => ({
        ...{ id: version.id, of: version, uri: version.uri, state: version.state, tone: toneOf(version.state) },
        createdAt: version.cloud_c_params.create_time,
        title: `Version ${version.cloud_c_params.version}${version.is_primary ? ', primary' : ''}`,
      }))
    },
    policy: async ({ id }, signal) =>
      JSON.stringify(await read('/v1/keymgr/cloud-c/keys/{id}/policy', { path: { id }, signal }), undefined, 2),
    common: {
      ...{ name: 'key_name', label: 'labels', knowsRotation: true },
      ...{ material: 'key_material_origin', usable: { gone: 'false' } },
    },
    filters: filtersOf(listCloudCKeys, [
      { name: 'key_name', label: 'Name', isFirst: true },
      { name: 'key_ring', label: 'Key ring', isFirst: true },
      { name: 'state', label: 'State', values: Object.keys(TONES), isFirst: true },
      { name: 'purpose', label: 'Purpose', values: createCloudCKey['cloud_c_params/purpose'].words },
      { name: 'protection_level', label: 'Protection', values: ['SOFTWARE', 'HSM', 'EXTERNAL'] },
      { name: 'algorithm', label: 'Algorithm' },
      { name: 'project_id', label: 'Project' },
      { name: 'location_id', label: 'Location' },
      { name: 'create_status', label: 'Creation' },
      { name: 'labels', label: 'Labels' },
      { name: 'key_ring_id', label: 'Key ring id' },
      { name: 'local_key_id', label: 'Local key id' },
      ...CLOUD_FILTERS,
      ...DATES,
    ]),
    states: Object.entries(TONES).map(([state, tone]) => ({
      ...{ title: titleOf(state), tone },
      filters: { state, gone: 'false' },
    })),
    actions: CLOUD_C_ACTIONS,
    versionActions: CLOUD_C_VERSION_ACTIONS,
    bulk: CLOUD_C_BULK,
    ways: [
      {
        ...{
          name: 'upload',
          title: 'Upload to cloud-c',
          about: 'Brings the material of a local key into the first version of a new key.',
        },
        fields: described(uploadCloudCKey, [
          ...PARAMS,
          {
            ...{ name: 'source_key_id', label: 'Local key' },
            hint: 'Name or id of the local key whose material is uploaded.',
          },
        ]),
        call: (body) => callTo('post', '/v1/keymgr/cloud-c/upload-key', { body }),
      },
      {
        ...{ name: 'create', title: 'Create in cloud-c', about: 'The cloud makes the material itself.' },
        fields: described(createCloudCKey, PARAMS),
        call: (body) => callTo('post', '/v1/keymgr/cloud-c/keys', { body }),
      },
    ],
  },
}
