import { getEndpoint } from '../../../shared/endpoints/ekm/list-endpoints.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { EkmEndpoint, EkmEndpointPath } from '../../../shared/endpoints/ekm/model.ts'

/** GET /v1/keymgr/ekm/endpoints/{id} */
export const get = operation(
  { says: 'Get EKM Endpoint', path: EkmEndpointPath, answers: EkmEndpoint, may: 'keymgr-admins' },
  async ({ path, context }) => {
    const { item, rev } = await getEndpoint(context, path.id)
    return ok(item, rev)
  },
)
