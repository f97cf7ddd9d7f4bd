import { destroyEndpoint } from '../../../shared/endpoints/ekm/rotate-endpoint.ts'
import { endpointAction } from './endpoint-action.ts'

/** POST /v1/keymgr/ekm/endpoints/{id}/destroy: for endpoints of a crypto space, of which there are none. */
export const destroy = endpointAction('Destroy EKM Endpoint', destroyEndpoint)
