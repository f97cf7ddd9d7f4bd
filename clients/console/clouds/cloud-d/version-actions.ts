import type { components } from '../../../sdk/api.d.ts'
import { callTo } from '../../calls.ts'
import type { Action } from '../../forms/actions.tsx'
import { read } from '../../service.ts'
import { pemFile, PUBLIC_KEY } from '../files.ts'
import type { VersionView } from '../row.ts'
import { DAYS, toneOf, type CloudDKey } from './actions.ts'

/** A version, and the name of its key. */
export interface CloudDKeyVersion extends Version {
  readonly keyName: string
}
type Version = components['schemas']['CloudDKeyVersion']

const VERSION = '/v1/keymgr/cloud-d/keys/{id}/versions/{version_id}'
const pathOf = ({ parent_key_id: id, version_id }: Version) => ({ id, version_id })

const ORIGINS: Readonly<Record<Version['rotation_type'], string>> = {
  native: "The cloud's own",
  byok: 'Imported',
  external: 'Of the local key',
}

/** The cloud shows a public key with a single version only. The service stores it after the first read. */
const withPublicKey = (version: Version, signal: AbortSignal): Promise<Version> =>
  read(VERSION, { path: pathOf(version), signal })

/** Versions of a key, newest first. */
export async function versionsOf(
  { id, cloud_d_params: { display_name: keyName, algorithm } }: CloudDKey,
  signal: AbortSignal,
): Promise<readonly VersionView[]> {
  const query = { limit: 100, sort: '-createdAt' }
  const { resources } = await read('/v1/keymgr/cloud-d/keys/{id}/versions', { path: { id }, query, signal })
  const lacks = ({ public_key: pem, lifecycle_state: state }: Version): boolean =>
    algorithm !== 'AES' && pem === undefined && state === 'ENABLED'
  const versions = await Promise.all(resources.map(async (one) => (lacks(one) ? withPublicKey(one, signal) : one)))
  return versions.map((version) => ({
    ...{ id: version.id, of: { ...version, keyName }, uri: version.uri, createdAt: version.time_created },
    ...{ state: version.lifecycle_state, tone: toneOf(version.lifecycle_state) },
    title: `${ORIGINS[version.rotation_type]}${version.is_current ? ', current' : ''}`,
  }))
}

/** Actions on one version of a key of cloud-d. The version with which the key encrypts cannot be deleted. */
export const CLOUD_D_VERSION_ACTIONS: readonly Action<CloudDKeyVersion>[] = [
  {
    ...{ name: 'schedule-deletion', title: 'Schedule deletion', done: 'The deletion is scheduled.' },
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
  {
    ...PUBLIC_KEY,
    applies: ({ public_key: pem }) => pem !== undefined,
    call: (version) => callTo('get', VERSION, { path: pathOf(version) }),
    saves: ({ keyName, public_key: pem = '' }) => pemFile(keyName, pem),
  },
]
