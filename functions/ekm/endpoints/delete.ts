import { deleteEndpoint } from '../../../shared/domain/ekm/rotate-endpoint.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/model/common.ts'
import { EkmEndpointPath } from '../../../shared/model/ekm-endpoint.ts'

/** DELETE /v1/keymgr/ekm/endpoints/{id}: the local key stays. */
export const remove = operation(
  { says: 'Delete EKM Endpoint', path: EkmEndpointPath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await deleteEndpoint(context, path.id)
    return deleted()
  },
)
