import { deleteConnection } from '../../../shared/cloud/connections/connections.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'
import { ConnectionPath, ForceDeletion } from '../../../shared/cloud/connections/model.ts'

/** POST /v1/connectionmgmt/connections/{id}/delete: with `force` also while something uses it. */
export const removeWithForce = operation(
  {
    says: 'Delete Connection',
    path: ConnectionPath,
    body: ForceDeletion,
    answers: Deleted,
    may: 'connection-admins',
  },
  async ({ path, body, context }) => {
    await deleteConnection(context, path.id, body)
    return deleted()
  },
)
