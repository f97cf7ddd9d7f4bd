import type { Rotated } from '../../work/schedule/job-operations/rotated.ts'
import { rotateEndpoint } from './change-endpoint.ts'
import { dkeEndpoints, type DkeEndpointRow, type StoredDkeEndpoint } from './store.ts'

/**
 * Keys of DKE endpoints: a rotation creates another version of the local key. Ours: versions do not expire, since
 * documents need theirs as long as they exist. So `expire_in` selects no endpoint, and `expiration` has no effect.
 */
export const dkeRotated: Rotated<StoredDkeEndpoint, DkeEndpointRow> = {
  entity: dkeEndpoints,
  facts: ({ status, createdAt }) => ({ live: status === 'Enabled', createdAt }),
  plan: ({ name, key_uri_hostname }) => ({
    resource_name: name,
    container: key_uri_hostname,
    quotaGroup: 'local', // the rotation calls no cloud, so it has no quota
    seconds: 0,
  }),
  single: () => ({ action: 'RotateDKEEndpoint', may: 'keymgr-admins' }),
  rotate: async (context, { id }) => {
    await rotateEndpoint(context, id)
    return id
  },
}
