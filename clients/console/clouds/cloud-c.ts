import type { components } from '../../sdk/api.d.ts'
import type { Choice, FieldRow } from '../forms/fields.ts'
import { callTo, type Call } from '../calls.ts'
import { keymgr, read } from '../service.ts'
import type { Tone } from '../words/states.tsx'
import { choicesOf, CLOUD_FILTERS, DATES } from './choices.ts'
import type { BulkAction, CloudRow, KeyAction } from './row.ts'

type CloudCKey = components['schemas']['CloudCKey']

const TONES: Readonly<Record<string, Tone>> = {
  ENABLED: 'good',
  DISABLED: 'quiet',
  PENDING_IMPORT: 'waiting',
  PENDING_GENERATION: 'waiting',
  DESTROY_SCHEDULED: 'bad',
  DESTROYED: 'bad',
}
const toneOf = (state: string): Tone => TONES[state] ?? 'quiet'
const stateOf = ({ gone, state }: CloudCKey): string => (gone ? 'Gone' : state === '' ? 'No primary version' : state)
const isThere = ({ gone }: CloudCKey): boolean => !gone

const onAllVersions = (key_id: string, operation: string): Call =>
  callTo('post', '/v1/keymgr/cloud-c/update-all-versions-jobs', { body: { key_id, operation } })

const ACTIONS: readonly KeyAction<CloudCKey>[] = [
  {
    ...{ name: 'rotate', title: 'Rotate', done: 'The key has a new version.' },
    about: 'Adds a version, which becomes the primary one of a key that encrypts. Former versions still decrypt.',
    fields: [
      { name: 'is_native', label: 'The cloud makes the material', kind: 'flag', initial: 'true' },
      {
        ...{
          name: 'source_key_id',
          label: 'Local key',
          isRequired: true,
          hint: 'Name or id; its material is imported.',
        },
        when: ({ is_native }) => is_native !== 'true',
      },
    ],
    applies: isThere,
    call: ({ id }, body) => callTo('post', '/v1/keymgr/cloud-c/keys/{id}/versions', { path: { id }, body }),
  },
  {
    ...{ name: 'enable', title: 'Enable all versions', done: 'The versions are being enabled.' },
    about: 'Lets applications use every version again.',
    applies: isThere,
    call: ({ id }) => onAllVersions(id, 'enable'),
  },
  {
    ...{ name: 'disable', title: 'Disable all versions', done: 'The versions are being disabled.', isDangerous: true },
    about: 'Refuses every use of every version until it is enabled again.',
    applies: isThere,
    call: ({ id }) => onAllVersions(id, 'disable'),
  },
  {
    ...{ name: 'refresh', title: 'Refresh', done: 'The key is read again.' },
    about: 'Reads the key and its versions from the cloud.',
    applies: isThere,
    call: ({ id }) => callTo('post', '/v1/keymgr/cloud-c/keys/{id}/refresh', { path: { id } }),
  },
  {
    ...{
      name: 'schedule-destroy',
      title: 'Schedule destruction',
      done: 'The destruction is scheduled.',
      isDangerous: true,
    },
    about:
      'The versions refuse every use at once, and the cloud destroys them after its wait. Until then this can be undone.',
    applies: isThere,
    call: ({ id }) => onAllVersions(id, 'schedule_destroy'),
  },
  {
    ...{ name: 'cancel-destroy', title: 'Cancel destruction', done: 'The destruction is cancelled.' },
    about: 'Keeps the versions. They are disabled afterwards.',
    applies: ({ gone, state }) => !gone && state === 'DESTROY_SCHEDULED',
    call: ({ id }) => onAllVersions(id, 'cancel_destroy'),
  },
  {
    ...{ name: 'delete', title: 'Remove record', done: 'The record is removed.', isDangerous: true },
    about: 'Removes what is known here of a key that is gone at the cloud.',
    applies: ({ gone }) => gone,
    call: ({ id }) => callTo('delete', '/v1/keymgr/cloud-c/keys/{id}', { path: { id } }),
  },
]

const onEach = (operation: string, title: string, about: string, isDangerous = false): BulkAction => ({
  ...{ name: operation, title, about, isDangerous },
  calls: (ids) => ids.map((id) => onAllVersions(id, operation)),
})

const rings = async (): Promise<readonly Choice[]> =>
  (await read('/v1/keymgr/cloud-c/key-rings', { query: { limit: 1000 } })).resources.map(({ id, name }) => ({
    value: id,
    label: name,
  }))
const PURPOSES = ['ENCRYPT_DECRYPT', 'ASYMMETRIC_SIGN', 'ASYMMETRIC_DECRYPT', 'MAC']
const PARAMS: readonly FieldRow[] = [
  { name: 'key_ring', label: 'Key ring', isRequired: true, choices: rings },
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

export const cloudC: CloudRow<CloudCKey> = {
  name: 'cloud-c',
  title: 'Cloud-c',
  container: 'Key ring',
  keys: {
    list: (query, signal) => read('/v1/keymgr/cloud-c/keys', { query, ...(signal && { signal }) }),
    get: (id, signal) => keymgr.get('/v1/keymgr/cloud-c/keys/{id}', { path: { id }, signal }),
    summary: (key) => ({
      ...{ id: key.id, uri: key.uri, name: key.cloud_c_params.key_name, createdAt: key.createdAt },
      ...{ state: stateOf(key), tone: toneOf(stateOf(key)), place: `${key.key_ring_name} · ${key.location_id}` },
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
        ...{ id: version.id, uri: version.uri, state: version.state, tone: toneOf(version.state) },
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
    states: Object.entries(TONES).map(([state, tone]) => ({ title: state, tone, filters: { state, gone: 'false' } })),
    actions: ACTIONS,
    bulk: [
      onEach('enable', 'Enable', 'Enables every version of these keys.'),
      onEach('disable', 'Disable', 'Refuses every use of these keys until they are enabled again.', true),
      onEach(
        'schedule_destroy',
        'Schedule destruction',
        'The cloud destroys every version of these keys after its wait.',
        true,
      ),
      onEach('cancel_destroy', 'Cancel destruction', 'Keeps every version of these keys.'),
      {
        ...{ name: 'refresh', title: 'Refresh', about: 'Reads these keys from the cloud.' },
        calls: (ids) => ids.map((id) => callTo('post', '/v1/keymgr/cloud-c/keys/{id}/refresh', { path: { id } })),
      },
    ],
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
