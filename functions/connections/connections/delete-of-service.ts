import { deleteConnection } from '../../../shared/cloud/connections/connections.ts'
import { ServiceConnectionPath } from '../../../shared/cloud/connections/service-path.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'

/** DELETE /v1/connectionmgmt/services/{svc}/connections/{id}: refused while something uses it. */
export const removeOfService = operation(
  { says: 'Delete Connection', path: ServiceConnectionPath, answers: Deleted, may: 'connection-admins' },
  async ({ path, context }) => {
    await deleteConnection(context, path.id, { kind: path.svc })
    return deleted()
  },
)
