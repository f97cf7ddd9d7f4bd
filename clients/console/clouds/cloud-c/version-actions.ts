import { memberOf } from '../../answers.ts'
import type { components } from '../../../sdk/api.d.ts'
import { callTo, type Call } from '../../calls.ts'
import type { Action } from '../../forms/actions.tsx'
import { pemFile, PUBLIC_KEY } from '../files.ts'

export type CloudCKeyVersion = components['schemas']['CloudCKeyVersion']

const VERSION = '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}'

const pathOf = ({ parent_key_id, version_id }: CloudCKeyVersion) => ({ id: parent_key_id, version_id })
type Act = 'enable' | 'disable' | 'schedule-destroy' | 'cancel-schedule-destroy' | 're-import' | 'download-public-key'
const onVersion = (act: Act, version: CloudCKeyVersion, body?: Record<string, unknown>): Call =>
  callTo('post', `${VERSION}/${act}`, { path: pathOf(version), ...(body !== undefined && { body }) })

const isIn = ({ gone, state }: CloudCKeyVersion, ...states: readonly string[]): boolean =>
  !gone && states.includes(state)
const isPair = ({ cloud_c_params: { algorithm } }: CloudCKeyVersion): boolean => /^(RSA|EC)_/.test(algorithm)

/** `orders v2` */
const nameOf = ({ parent_key_name, cloud_c_params: { version } }: CloudCKeyVersion): string =>
  `${parent_key_name.replace(/^.*\//, '')} v${version}`

/** Actions on one version of a key of cloud-c. */
export const CLOUD_C_VERSION_ACTIONS: readonly Action<CloudCKeyVersion>[] = [
  {
    ...{ name: 'enable', title: 'Enable', done: 'The version is enabled.' },
    about: 'Lets applications use this version again.',
    applies: (version) => isIn(version, 'DISABLED'),
    call: (version) => onVersion('enable', version),
  },
  {
    ...{ name: 'disable', title: 'Disable', done: 'The version is disabled.' },
    about: 'Refuses every use of this version until it is enabled again.',
    applies: (version) => isIn(version, 'ENABLED'),
    call: (version) => onVersion('disable', version),
  },
  {
    ...{ name: 'schedule-destroy', title: 'Schedule destruction' },
    about:
      'This version refuses every use at once, and the cloud destroys it after its wait. Until then this can be undone.',
    ends: { nameOf, milder: ['disable'] },
    done: 'The destruction is scheduled.',
    applies: (version) => isIn(version, 'ENABLED', 'DISABLED'),
    call: (version) => onVersion('schedule-destroy', version),
  },
  {
    ...{ name: 'cancel-schedule-destroy', title: 'Cancel destruction', done: 'The destruction is cancelled.' },
    about: 'Keeps this version. It is disabled afterwards.',
    applies: (version) => isIn(version, 'DESTROY_SCHEDULED'),
    call: (version) => onVersion('cancel-schedule-destroy', version),
  },
  {
    ...{ name: 're-import', title: 'Import again', done: 'The material is imported again.' },
    about: 'Brings back the material of a destroyed version from the local key that it came from.',
    fields: [{ name: 'source_key_id', label: 'Local key', hint: 'Name or id, where it is not the same as before.' }],
    applies: (version) => isIn(version, 'DESTROYED') && version.cloud_c_params.reimport_eligible,
    call: (version, body) => onVersion('re-import', version, body),
  },
  {
    ...{ name: 'delete', title: 'Delete', done: 'The version is deleted.' },
    about: 'Removes this version, whose material is gone, from the cloud.',
    applies: (version) => isIn(version, 'DESTROYED', 'IMPORT_FAILED', 'GENERATION_FAILED'),
    call: (version) => callTo('delete', VERSION, { path: pathOf(version) }),
  },
  {
    ...PUBLIC_KEY,
    applies: (version) => isIn(version, 'ENABLED') && isPair(version),
    call: (version) => onVersion('download-public-key', version),
    saves: (version, answer) => pemFile(nameOf(version), memberOf(answer, 'pem')),
  },
]
