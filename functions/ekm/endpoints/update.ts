import { updateEndpoint } from '../../../shared/endpoints/ekm/update-endpoint.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { EkmEndpoint, EkmEndpointPath, UpdateEkmEndpoint } from '../../../shared/endpoints/ekm/model.ts'

/** PATCH /v1/keymgr/ekm/endpoints/{id}: only what is present changes; `null` clears `meta`. */
export const update = operation(
  {
    says: 'Update EKM Endpoint',
    path: EkmEndpointPath,
    body: UpdateEkmEndpoint,
    answers: EkmEndpoint,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await updateEndpoint(context, path.id, body)
    return ok(item, rev)
  },
)
