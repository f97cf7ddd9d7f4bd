import type { components } from '../../../sdk/api.d.ts'
import { callTo } from '../../calls.ts'
import type { Action } from '../../forms/actions.tsx'
import type { Tone } from '../../words/states.tsx'
import { passportOf } from '../files.ts'
import type { BulkAction, KeyAction } from '../row.ts'

export type DatacustKey = components['schemas']['DatacustKey']
type DatacustKeyVersion = components['schemas']['DatacustKeyVersion']

const AT = '/v1/keymgr/datacust/keys'

export const TONES: Readonly<Record<DatacustKey['status'], Tone>> = {
  AVAILABLE: 'good',
  DISABLED: 'quiet',
  DELETED: 'bad',
}
const isIn =
  (...states: readonly DatacustKey['status'][]) =>
  ({ gone, status }: DatacustKey): boolean =>
    !gone && states.includes(status)
const isThere = ({ gone }: DatacustKey): boolean => !gone

const nameOf = ({ datacust_param: { name } }: DatacustKey): string => name
const setEnabled = (id: string, enabled: boolean) => callTo('patch', `${AT}/{id}`, { path: { id }, body: { enabled } })
const refresh = (id: string) => callTo('post', `${AT}/{id}/refresh`, { path: { id } })

/** Actions on one key of datacust. */
export const ACTIONS: readonly KeyAction<DatacustKey>[] = [
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
    applies: isIn('AVAILABLE'),
    call: ({ id }, body) => callTo('post', `${AT}/{id}/versions`, { path: { id }, body }),
  },
  {
    ...{ name: 'edit', title: 'Edit', submit: 'Save', done: 'The key is changed.' },
    about: 'Changes the description of the key and what it may be used for, at the cloud.',
    fieldsFor: ({ datacust_param: { description, operations } }) => [
      { name: 'description', label: 'Description', initial: description ?? '' },
      {
        ...{ name: 'operations', label: 'Operations', kind: 'lines', initial: operations.join('\n') },
        hint: 'One on each line.',
      },
    ],
    applies: isIn('AVAILABLE', 'DISABLED'),
    call: ({ id }, body) => callTo('patch', `${AT}/{id}`, { path: { id }, body }),
  },
  {
    ...{ name: 'enable', title: 'Enable', done: 'The key is enabled.' },
    about: 'Lets applications use the key again.',
    applies: isIn('DISABLED'),
    call: ({ id }) => setEnabled(id, true),
  },
  {
    ...{ name: 'disable', title: 'Disable', done: 'The key is disabled.', isDangerous: true },
    about: 'Refuses every use of the key until it is enabled again.',
    applies: isIn('AVAILABLE'),
    call: ({ id }) => setEnabled(id, false),
  },
  {
    ...{ name: 'refresh', title: 'Refresh', done: 'The key is read again.' },
    about: 'Reads the key and its versions from the cloud.',
    applies: isThere,
    call: ({ id }) => refresh(id),
  },
  {
    ...{ name: 'delete', title: 'Delete at the cloud', done: 'The key is deleted.' },
    about: 'Deletes the key at the cloud, after a backup from which it can be restored.',
    ends: { nameOf, milder: ['disable'] },
    fields: [
      { name: 'delete_if_backup_fails', label: 'Also without a backup', kind: 'flag', hint: 'If the backup fails.' },
    ],
    applies: isThere,
    call: ({ id }, body) => callTo('post', `${AT}/{id}/delete`, { path: { id }, body }),
  },
  {
    ...{ name: 'restore', title: 'Restore', done: 'The key is being restored.' },
    about: 'Brings the deleted key back from its backup.',
    applies: ({ gone, backup_blob: backup }) => gone && backup !== undefined,
    call: ({ id }) => callTo('post', `${AT}/{id}/restore`, { path: { id } }),
  },
  {
    ...{ name: 'delete-backup', title: 'Delete backup', done: 'The backup is deleted.' },
    about: 'Removes the backup of the key.',
    applies: ({ backup_blob: backup }) => backup !== undefined,
    call: ({ id }) => callTo('post', `${AT}/{id}/delete-backup`, { path: { id } }),
  },
  {
    ...{ name: 'remove', title: 'Remove', done: 'The record is removed.' },
    about: 'Removes the record of a key that the cloud no longer has.',
    applies: ({ gone }) => gone,
    call: ({ id }) => callTo('delete', `${AT}/{id}`, { path: { id } }),
  },
  passportOf(`${AT}/{id}/passport`, nameOf),
]

/** Actions on many keys of datacust. */
export const BULK: readonly BulkAction[] = [
  {
    ...{ name: 'enable', title: 'Enable', about: 'Lets applications use these keys again.' },
    calls: (ids) => ids.map((id) => setEnabled(id, true)),
  },
  {
    ...{ name: 'disable', title: 'Disable', isDangerous: true },
    about: 'Refuses every use of these keys until they are enabled again.',
    calls: (ids) => ids.map((id) => setEnabled(id, false)),
  },
  {
    ...{ name: 'refresh', title: 'Refresh', about: 'Reads these keys from the cloud.' },
    calls: (ids) => ids.map(refresh),
  },
]

const changed = ({ parent_key_id: id, version_id }: DatacustKeyVersion, enabled: boolean) =>
  callTo('patch', `${AT}/{id}/versions/{version_id}`, { path: { id, version_id }, body: { enabled } })

/** Actions on one version of a key. The version with which the key encrypts cannot be disabled. */
export const VERSION_ACTIONS: readonly Action<DatacustKeyVersion>[] = [
  {
    ...{ name: 'enable', title: 'Enable', done: 'The version is enabled.', about: 'Lets the version be used again.' },
    applies: ({ gone, enabled }) => !gone && !enabled,
    call: (version) => changed(version, true),
  },
  {
    ...{ name: 'disable', title: 'Disable', done: 'The version is disabled.', isDangerous: true },
    about: 'Refuses every use of the version until it is enabled again.',
    applies: ({ gone, enabled, is_primary: isPrimary }) => !gone && enabled && !isPrimary,
    call: (version) => changed(version, false),
  },
]
