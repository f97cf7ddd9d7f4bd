import type { components } from '../../../sdk/api.d.ts'
import { callTo, type Call } from '../../calls.ts'
import { keymgr } from '../../service.ts'
import type { Tone } from '../../words/states.tsx'
import { passportOf } from '../files.ts'
import type { BulkAction, JobRow, KeyAction } from '../row.ts'

export type CloudCKey = components['schemas']['CloudCKey']

/** The state of a key without a primary version, such as a signing key. */
const NO_PRIMARY = 'NO_PRIMARY'

/** Tones of states of keys and versions, by the cloud's names. */
export const TONES: Readonly<Record<string, Tone>> = {
  ENABLED: 'good',
  DISABLED: 'quiet',
  PENDING_IMPORT: 'waiting',
  PENDING_GENERATION: 'waiting',
  DESTROY_SCHEDULED: 'bad',
  DESTROYED: 'bad',
  [NO_PRIMARY]: 'good',
}
export const toneOf = (state: string): Tone => TONES[state] ?? 'quiet'
export const stateOf = ({ gone, state }: CloudCKey): string => (gone ? 'Gone' : state)
export const titleOf = (state: string): string => (state === NO_PRIMARY ? 'No primary version' : state)
const isThere = ({ gone }: CloudCKey): boolean => !gone

/** The job that changes all versions of a key. */
const VERSIONS_JOB: JobRow = {
  noun: 'version',
  load: (id, signal) => keymgr.get('/v1/keymgr/cloud-c/update-all-versions-jobs/{id}', { path: { id }, signal }),
}

const onAllVersions = (key_id: string, operation: string): Call =>
  callTo('post', '/v1/keymgr/cloud-c/update-all-versions-jobs', { body: { key_id, operation } })

const nameOf = ({ cloud_c_params: { key_name } }: CloudCKey): string => key_name

/** Actions on one key of cloud-c. */
export const CLOUD_C_ACTIONS: readonly KeyAction<CloudCKey>[] = [
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
    job: VERSIONS_JOB,
  },
  {
    ...{ name: 'disable', title: 'Disable all versions', done: 'The versions are being disabled.', isDangerous: true },
    about: 'Refuses every use of every version until it is enabled again.',
    applies: isThere,
    call: ({ id }) => onAllVersions(id, 'disable'),
    job: VERSIONS_JOB,
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
    ends: { nameOf, milder: ['disable'] },
    applies: isThere,
    call: ({ id }) => onAllVersions(id, 'schedule_destroy'),
    job: VERSIONS_JOB,
  },
  {
    ...{ name: 'cancel-destroy', title: 'Cancel destruction', done: 'The destruction is cancelled.' },
    about: 'Keeps the versions. They are disabled afterwards.',
    applies: ({ gone, state }) => !gone && (state === 'DESTROY_SCHEDULED' || state === NO_PRIMARY),
    call: ({ id }) => onAllVersions(id, 'cancel_destroy'),
    job: VERSIONS_JOB,
  },
  passportOf('/v1/keymgr/cloud-c/keys/{id}/passport', nameOf),
]

const onEach = (operation: string, title: string, about: string, isDangerous?: true): BulkAction => ({
  ...{ name: operation, title, about, ...(isDangerous && { isDangerous }) },
  calls: (ids) => ids.map((id) => onAllVersions(id, operation)),
  job: VERSIONS_JOB,
})

/** Actions on many keys of cloud-c. */
export const CLOUD_C_BULK: readonly BulkAction[] = [
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
]
