import { deleteEndpoint } from '../../../shared/endpoints/ekm/rotate-endpoint.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'
import { EkmEndpointPath } from '../../../shared/endpoints/ekm/model.ts'

/** DELETE /v1/keymgr/ekm/endpoints/{id}: the local key stays. */
export const remove = operation(
  { says: 'Delete EKM Endpoint', path: EkmEndpointPath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await deleteEndpoint(context, path.id)
    return deleted()
  },
)
