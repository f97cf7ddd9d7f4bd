import type { components } from '../../../sdk/api.d.ts'
import { callTo } from '../../calls.ts'
import type { Action } from '../../forms/actions.tsx'
import { DAYS } from './actions.ts'

export type CloudDKeyVersion = components['schemas']['CloudDKeyVersion']

const VERSION = '/v1/keymgr/cloud-d/keys/{id}/versions/{version_id}'
const pathOf = ({ parent_key_id: id, version_id }: CloudDKeyVersion) => ({ id, version_id })

/** Actions on one version of a key of cloud-d. The version with which the key encrypts cannot be deleted. */
export const CLOUD_D_VERSION_ACTIONS: readonly Action<CloudDKeyVersion>[] = [
  {
    ...{ name: 'schedule-deletion', title: 'Schedule deletion', done: 'The deletion is scheduled.', isDangerous: true },
    about: 'Ends every use of this version at once, and deletes it after its wait. Until then this can be undone.',
    ends: { nameOf: ({ version_id }) => version_id },
    fields: [DAYS],
    applies: ({ gone, is_current, lifecycle_state }) => !gone && !is_current && lifecycle_state === 'ENABLED',
    call: (version, body) => callTo('post', `${VERSION}/schedule-deletion`, { path: pathOf(version), body }),
  },
  {
    ...{ name: 'cancel-deletion', title: 'Cancel deletion', done: 'The deletion is cancelled.' },
    about: 'Keeps this version.',
    applies: ({ gone, lifecycle_state }) => !gone && lifecycle_state === 'PENDING_DELETION',
    call: (version) => callTo('post', `${VERSION}/cancel-deletion`, { path: pathOf(version) }),
  },
]
