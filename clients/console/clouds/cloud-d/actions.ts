import type { components } from '../../../sdk/api.d.ts'
import { callTo } from '../../calls.ts'
import type { FieldRow } from '../../forms/fields.ts'
import type { Tone } from '../../words/states.tsx'
import { passportOf } from '../files.ts'
import type { BulkAction, KeyAction } from '../row.ts'
import { compartments } from './containers.ts'
import { EXTERNAL_KEY_ACTIONS } from './external.ts'

export type CloudDKey = components['schemas']['CloudDKey']

/** States of keys and versions, as the cloud names them. */
export const TONES: Readonly<Record<string, Tone>> = {
  ENABLED: 'good',
  DISABLED: 'quiet',
  CREATING: 'waiting',
  ENABLING: 'waiting',
  DISABLING: 'waiting',
  UPDATING: 'waiting',
  CHANGING_COMPARTMENT: 'waiting',
  PENDING_DELETION: 'bad',
  DELETED: 'bad',
}
export const toneOf = (state: string): Tone => TONES[state] ?? 'waiting'
export const stateOf = ({ gone, cloud_d_params: { lifecycle_state: state } }: CloudDKey): string =>
  gone ? 'Gone' : state
const isIn =
  (...states: readonly string[]) =>
  ({ gone, hyok_key_params: external, cloud_d_params: { lifecycle_state: state } }: CloudDKey): boolean =>
    !gone && external === undefined && states.includes(state)
const isThere = ({ gone, hyok_key_params: external }: CloudDKey): boolean => !gone && external === undefined

export const DAYS: FieldRow = { name: 'days', label: 'Days until then', kind: 'number', initial: '7', hint: '7 to 30.' }

type Act = 'enable' | 'disable' | 'cancel-deletion' | 'refresh' | 'restore' | 'delete-backup'
const onKey = (id: string, act: Act) => callTo('post', `/v1/keymgr/cloud-d/keys/{id}/${act}`, { path: { id } })

const nameOf = ({ cloud_d_params: { display_name } }: CloudDKey): string => display_name

/** Actions on one key of cloud-d, at the cloud or external. */
export const CLOUD_D_ACTIONS: readonly KeyAction<CloudDKey>[] = [
  {
    ...{ name: 'rotate', title: 'Rotate', done: 'The key has a new version.' },
    about: 'Adds a version, with which the key encrypts from then on. Former versions still decrypt.',
    fields: [
      { name: 'is_native', label: 'The cloud makes the material', kind: 'flag', initial: 'true' },
      {
        ...{ name: 'source_key_identifier', label: 'Local key', isRequired: true },
        hint: 'Name or id; its material is imported.',
        when: ({ is_native }) => is_native !== 'true',
      },
    ],
    applies: isIn('ENABLED'),
    call: ({ id }, body) => callTo('post', '/v1/keymgr/cloud-d/keys/{id}/versions', { path: { id }, body }),
  },
  {
    ...{ name: 'enable', title: 'Enable', done: 'The key is being enabled.' },
    about: 'Lets applications use the key again.',
    applies: isIn('DISABLED'),
    call: ({ id }) => onKey(id, 'enable'),
  },
  {
    ...{ name: 'disable', title: 'Disable', done: 'The key is being disabled.' },
    about: 'Refuses every use of the key until it is enabled again.',
    applies: isIn('ENABLED'),
    call: ({ id }) => onKey(id, 'disable'),
  },
  {
    ...{ name: 'refresh', title: 'Refresh', done: 'The key is read again.' },
    about: 'Reads the key and its versions from the cloud.',
    applies: isThere,
    call: ({ id }) => onKey(id, 'refresh'),
  },
  {
    ...{ name: 'change-compartment', title: 'Move', done: 'The key is being moved.' },
    about: 'Moves the key to another compartment.',
    fields: [{ name: 'compartment_id', label: 'Compartment', isRequired: true, choices: compartments }],
    applies: isIn('ENABLED', 'DISABLED'),
    call: ({ id }, body) => callTo('post', '/v1/keymgr/cloud-d/keys/{id}/change-compartment', { path: { id }, body }),
  },
  {
    ...{ name: 'schedule-deletion', title: 'Schedule deletion', done: 'The deletion is scheduled.' },
    about: 'Ends every use of the key at once, and deletes it after its wait. Until then this can be undone.',
    ends: { nameOf, milder: ['disable'] },
    fields: [DAYS],
    applies: isIn('ENABLED', 'DISABLED'),
    call: ({ id }, body) => callTo('post', '/v1/keymgr/cloud-d/keys/{id}/schedule-deletion', { path: { id }, body }),
  },
  {
    ...{ name: 'cancel-deletion', title: 'Cancel deletion', done: 'The deletion is cancelled.' },
    about: 'Keeps the key, in the state that it had before.',
    applies: isIn('PENDING_DELETION'),
    call: ({ id }) => onKey(id, 'cancel-deletion'),
  },
  {
    ...{ name: 'restore', title: 'Restore', done: 'The key is being restored.' },
    about: 'Brings the deleted key back from its backup in the bucket of its vault.',
    applies: (key) => key.backup_at !== undefined && (key.gone || isIn('DELETED')(key)),
    call: ({ id }) => onKey(id, 'restore'),
  },
  {
    ...{ name: 'delete-backup', title: 'Delete backup', done: 'The backup is deleted.' },
    about: 'Removes the backup of the key from the bucket of its vault.',
    applies: ({ backup_at }) => backup_at !== undefined,
    call: ({ id }) => onKey(id, 'delete-backup'),
  },
  {
    ...{ name: 'remove', title: 'Remove', done: 'The record is removed.' },
    about: 'Removes the record of a key that the cloud no longer has.',
    applies: (key) => key.gone || isIn('DELETED')(key),
    call: ({ id }) => callTo('delete', '/v1/keymgr/cloud-d/keys/{id}', { path: { id } }),
  },
  ...EXTERNAL_KEY_ACTIONS,
  passportOf('/v1/keymgr/cloud-d/keys/{id}/passport', nameOf),
]

const onEach = (act: Act, title: string, about: string): BulkAction => ({
  ...{ name: act, title, about },
  calls: (ids) => ids.map((id) => onKey(id, act)),
})

/** Actions on many keys of cloud-d. */
export const CLOUD_D_BULK: readonly BulkAction[] = [
  onEach('enable', 'Enable', 'Lets applications use these keys again.'),
  onEach('disable', 'Disable', 'Refuses every use of these keys until they are enabled again.'),
  onEach('refresh', 'Refresh', 'Reads these keys from the cloud.'),
  {
    ...{ name: 'schedule-deletion', title: 'Schedule deletion', isEnding: true, fields: [DAYS] },
    about: 'The cloud deletes these keys after their wait.',
    calls: (ids, body) =>
      ids.map((id) => callTo('post', '/v1/keymgr/cloud-d/keys/{id}/schedule-deletion', { path: { id }, body })),
  },
  onEach('cancel-deletion', 'Cancel deletion', 'Keeps these keys.'),
]
