import { setEnabled } from '../../../shared/endpoints/ekm/update-endpoint.ts'
import { endpointAction } from './endpoint-action.ts'

/** POST /v1/keymgr/ekm/endpoints/{id}/enable: the cloud is answered again. */
export const enable = endpointAction('Enable EKM Endpoint', (context, id) => setEnabled(context, id, true))
