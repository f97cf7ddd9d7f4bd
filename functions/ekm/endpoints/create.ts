import { createEndpoint } from '../../../shared/endpoints/ekm/create-endpoint.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CreateEkmEndpoint, EkmEndpoint } from '../../../shared/endpoints/ekm/model.ts'

/** POST /v1/keymgr/ekm/endpoints: over a local key that is there, or over one that is made for it. */
export const create = operation(
  { says: 'Create EKM Endpoint', body: CreateEkmEndpoint, answers: EkmEndpoint, status: 201, may: 'keymgr-admins' },
  async ({ body, context }) => {
    const { item, rev } = await createEndpoint(context, body)
    return created(item, rev)
  },
)
