import type { components } from '../../../sdk/api.d.ts'
import { callTo, type Call } from '../../calls.ts'
import type { Tone } from '../../words/states.tsx'
import { passportOf, pemFile, PUBLIC_KEY } from '../files.ts'
import type { BulkAction, KeyAction } from '../row.ts'

export type CloudBKey = components['schemas']['CloudBKey']
type PostPath = Parameters<typeof callTo<'post'>>[1]

/** Every version is a record. The latest one has the name of the key. */
export const nameOf = ({ key_name, version, is_latest }: CloudBKey): string =>
  is_latest ? key_name : `${key_name} ${version.slice(0, 8)}`

const isEnabled = ({ cloud_b_param: { attributes } }: CloudBKey): boolean => attributes.enabled
/** Its state in one word, from the state of its vault and whether it is enabled. */
export const stateOf = (key: CloudBKey): string =>
  key.gone ? 'Gone' : key.status !== 'ACTIVE' ? key.status : isEnabled(key) ? 'Enabled' : 'Disabled'
const TONES: Readonly<Record<string, Tone>> = { Enabled: 'good', Disabled: 'quiet' }
export const toneOf = (state: string): Tone => TONES[state] ?? 'bad'

const onKey = (path: PostPath, { id }: CloudBKey): Call => callTo('post', path, { path: { id } })
const setEnabled = (id: string, enabled: boolean): Call =>
  callTo('patch', '/v1/keymgr/cloud-b/keys/{id}', { path: { id }, body: { attributes: { enabled } } })
const isSymmetric = ({ cloud_b_param: { key } }: CloudBKey): boolean => key.kty.startsWith('oct')
const isActive = ({ gone, status }: CloudBKey): boolean => !gone && status === 'ACTIVE'
/** The key of a certificate changes only with the certificate. */
const isChangeable = (key: CloudBKey): boolean => isActive(key) && key.cloud_b_param.managed !== true

/** Actions on one key of cloud-b. */
export const CLOUD_B_ACTIONS: readonly KeyAction<CloudBKey>[] = [
  {
    ...{ name: 'rotate', title: 'Rotate', done: 'The key has a new version; this is it.', opens: true },
    about: 'The vault makes the next version, with new material of the same kind. Former versions still decrypt.',
    applies: (key) => isChangeable(key) && key.is_latest && !isSymmetric(key),
    call: ({ key_name, key_vault, key_size, cloud_b_param: { key } }) => {
      const size = key.crv === undefined ? { key_size } : { crv: key.crv }
      return callTo('post', '/v1/keymgr/cloud-b/keys', {
        body: { key_name, key_vault, cloud_b_param: { kty: key.kty, ...size } },
      })
    },
  },
  {
    ...{ name: 'enable', title: 'Enable', done: 'The version is enabled.' },
    about: 'Lets applications use this version again.',
    applies: (key) => isChangeable(key) && !isEnabled(key),
    call: ({ id }) => setEnabled(id, true),
  },
  {
    ...{ name: 'disable', title: 'Disable', done: 'The version is disabled.', isDangerous: true },
    about: 'Refuses every use of this version until it is enabled again.',
    applies: (key) => isChangeable(key) && isEnabled(key),
    call: ({ id }) => setEnabled(id, false),
  },
  {
    ...{ name: 'refresh', title: 'Refresh', done: 'The key is read again.' },
    about: 'Reads the key from the vault.',
    applies: ({ gone }) => !gone,
    call: (key) => onKey('/v1/keymgr/cloud-b/keys/{id}/refresh', key),
  },
  {
    ...{ name: 'backup', title: 'Back up', done: 'A backup is made.' },
    about: 'Keeps a backup of the key, sealed by its vault.',
    applies: isChangeable,
    call: (key) => onKey('/v1/keymgr/cloud-b/keys/{id}/backups', key),
  },
  {
    ...{ name: 'soft-delete', title: 'Delete', done: 'The key is deleted; it can be recovered.' },
    about: 'Deletes the key with all its versions. Until the vault purges it, it can be recovered.',
    ends: { nameOf, milder: ['disable'] },
    applies: isChangeable,
    call: (key) => onKey('/v1/keymgr/cloud-b/keys/{id}/soft-delete', key),
  },
  {
    ...{ name: 'recover', title: 'Recover', done: 'The key is recovered.' },
    about: 'Brings a deleted key back.',
    applies: ({ status }) => status === 'SOFT-DELETED',
    call: (key) => onKey('/v1/keymgr/cloud-b/keys/{id}/recover', key),
  },
  {
    ...{ name: 'hard-delete', title: 'Purge', done: 'The key is purged.' },
    about: 'Erases a deleted key for good.',
    ends: { nameOf },
    applies: ({ status }) => status === 'SOFT-DELETED',
    call: (key) => onKey('/v1/keymgr/cloud-b/keys/{id}/hard-delete', key),
  },
  {
    ...PUBLIC_KEY,
    applies: (key) => isActive(key) && !isSymmetric(key),
    call: ({ id }) => callTo('get', '/v1/keymgr/cloud-b/keys/{id}/download-public-key', { path: { id } }),
    saves: (key, answer) => pemFile(nameOf(key), String(answer)),
  },
  passportOf('/v1/keymgr/cloud-b/keys/{id}/passport', nameOf),
]

const forEach = (name: string, title: string, about: string, path: PostPath): BulkAction => ({
  ...{ name, title, about },
  calls: (ids) => ids.map((id) => callTo('post', path, { path: { id } })),
})

/** Actions on many keys of cloud-b. */
export const CLOUD_B_BULK: readonly BulkAction[] = [
  {
    ...{ name: 'enable', title: 'Enable', about: 'Enables these versions.' },
    calls: (ids) => ids.map((id) => setEnabled(id, true)),
  },
  {
    ...{
      name: 'disable',
      title: 'Disable',
      about: 'Refuses every use of these versions until they are enabled again.',
    },
    isDangerous: true,
    calls: (ids) => ids.map((id) => setEnabled(id, false)),
  },
  forEach('refresh', 'Refresh', 'Reads these keys from their vaults.', '/v1/keymgr/cloud-b/keys/{id}/refresh'),
  forEach(
    'soft-delete',
    'Delete',
    'Deletes these keys; they can be recovered.',
    '/v1/keymgr/cloud-b/keys/{id}/soft-delete',
  ),
]
