import { choicesOf, type Choice, type FieldRow } from '../../forms/fields.ts'
import { callTo } from '../../calls.ts'
import { read, recordsAt } from '../../service.ts'
import { CLOUD_FILTERS, DATES } from '../choices.ts'
import { CLOUD_C_ACTIONS, CLOUD_C_BULK, stateOf, titleOf, toneOf, TONES, type CloudCKey } from './actions.ts'
import { CLOUD_C_VERSION_ACTIONS } from './version-actions.ts'
import type { CloudRow } from '../row.ts'
import { CONTAINERS, rings, type KeyRing } from './containers.ts'
import { REPORTS } from './reports.ts'

const ringChoices = async (): Promise<readonly Choice[]> =>
  (await rings()).map(({ id, name }) => ({ value: id, label: name }))
const PURPOSES = ['ENCRYPT_DECRYPT', 'ASYMMETRIC_SIGN', 'ASYMMETRIC_DECRYPT', 'MAC']
const PARAMS: readonly FieldRow[] = [
  { name: 'key_ring', label: 'Key ring', isRequired: true, choices: ringChoices },
  { name: 'cloud_c_params/key_name', label: 'Name', isRequired: true },
  {
    name: 'cloud_c_params/purpose',
    label: 'Purpose',
    isRequired: true,
    initial: 'ENCRYPT_DECRYPT',
    choices: choicesOf(...PURPOSES),
  },
  {
    name: 'cloud_c_params/algorithm',
    label: 'Algorithm',
    hint: 'As the cloud names it; needed for all but ENCRYPT_DECRYPT.',
  },
  { name: 'cloud_c_params/protection_level', label: 'Protection', choices: choicesOf('SOFTWARE', 'HSM') },
]

export const cloudC: CloudRow<CloudCKey, KeyRing> = {
  name: 'cloud-c',
  title: 'Cloud-c',
  containers: CONTAINERS,
  reports: REPORTS,
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
    filters: [
      { name: 'key_name', label: 'Name', values: 'text', isFirst: true },
      { name: 'key_ring', label: 'Key ring', values: 'text', isFirst: true },
      { name: 'state', label: 'State', values: Object.keys(TONES), isFirst: true },
      { name: 'purpose', label: 'Purpose', values: PURPOSES },
      { name: 'protection_level', label: 'Protection', values: ['SOFTWARE', 'HSM', 'EXTERNAL'] },
      { name: 'algorithm', label: 'Algorithm', values: 'text' },
      { name: 'project_id', label: 'Project', values: 'text' },
      { name: 'location_id', label: 'Location', values: 'text' },
      { name: 'create_status', label: 'Creation', values: ['in_progress', 'success', 'failed'] },
      { name: 'labels', label: 'Labels', values: 'text' },
      { name: 'key_ring_id', label: 'Key ring id', values: 'text' },
      ...CLOUD_FILTERS,
      ...DATES,
    ],
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
        fields: [
          ...PARAMS,
          {
            name: 'source_key_id',
            label: 'Local key',
            isRequired: true,
            hint: 'Name or id of the local key whose material is uploaded.',
          },
        ],
        call: (body) => callTo('post', '/v1/keymgr/cloud-c/upload-key', { body }),
      },
      {
        ...{ name: 'create', title: 'Create in cloud-c', about: 'The cloud makes the material itself.' },
        fields: PARAMS,
        call: (body) => callTo('post', '/v1/keymgr/cloud-c/keys', { body }),
      },
    ],
  },
}
