import { setEnabled } from '../../../shared/endpoints/ekm/update-endpoint.ts'
import { endpointAction } from './endpoint-action.ts'

/** POST /v1/keymgr/ekm/endpoints/{id}/disable: within five seconds the cloud is refused everywhere. */
export const disable = endpointAction('Disable EKM Endpoint', (context, id) => setEnabled(context, id, false))
