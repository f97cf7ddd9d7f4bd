import { deleteConnection } from '../../../shared/domain/connections/connections.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/model/common.ts'
import { ConnectionPath, ForceDeletion } from '../../../shared/model/connection.ts'

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
