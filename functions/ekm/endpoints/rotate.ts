import { rotateEndpoint } from '../../../shared/endpoints/ekm/rotate-endpoint.ts'
import { endpointAction } from './endpoint-action.ts'

/** POST /v1/keymgr/ekm/endpoints/{id}/rotate: a new version of the local key; the address stays. */
export const rotate = endpointAction('Rotate EKM Endpoint', rotateEndpoint)
