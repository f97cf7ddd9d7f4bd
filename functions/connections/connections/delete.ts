import { deleteConnection } from '../../../shared/cloud/connections/connections.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'
import { ConnectionPath } from '../../../shared/cloud/connections/model.ts'

/** DELETE /v1/connectionmgmt/connections/{id}: of any kind; refused while something uses it. */
export const remove = operation(
  { says: 'Delete Connection', path: ConnectionPath, answers: Deleted, may: 'connection-admins' },
  async ({ path, context }) => {
    await deleteConnection(context, path.id)
    return deleted()
  },
)
