import { assertPermitted } from '../../http/permission.ts'
import type { Rotated } from '../../work/schedule/rotated.ts'
import { rotateEndpoint } from './change-endpoint.ts'
import { dkeEndpoints, type DkeEndpointRow, type StoredDkeEndpoint } from './store.ts'

/**
 * Keys of DKE endpoints: a rotation is another version of the local key. Ours: versions have no end, since documents need
 * theirs for as long as they exist. So `expire_in` chooses no endpoint, and `expiration` ends no version.
 */
export const dkeRotated: Rotated<StoredDkeEndpoint, DkeEndpointRow> = {
  entity: dkeEndpoints,
  facts: ({ status, createdAt }) => ({ live: status === 'Enabled', createdAt }),
  plan: ({ name, key_uri_hostname }) => ({
    resource_name: name,
    container: key_uri_hostname,
    quotaGroup: 'local', // its work is all here, under no quota
    seconds: 0,
  }),
  rotate: async (context, { id }) => {
    assertPermitted('keymgr-admins', context.caller) // who left the group since keeps no rights in runs
    await rotateEndpoint(context, id)
    return id
  },
}
