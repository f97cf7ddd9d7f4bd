import type { Route } from '../../http/operation.ts'
import { routesOn } from '../../http/routes-on.ts'
import { getEndpoint, listEndpoints } from './list-endpoints.ts'
import { KaclsEndpoint, KaclsEndpointQuery } from './model.ts'

const may = 'keymgr-admins'
const AT = '/v1/keymgr/WorkspaceCSE'
const on = routesOn({ at: `${AT}/endpoints`, answers: KaclsEndpoint, reads: may, changes: may })

/** Addresses through which Workspace encrypts documents with keys that stay here. */
export const routes: readonly Route[] = [
  on.list('List KACLS Endpoints', KaclsEndpointQuery, listEndpoints),
  on.get('Get KACLS Endpoint', getEndpoint),
]
