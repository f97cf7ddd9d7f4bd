import { updateConnection } from '../../../shared/domain/connections/connections.ts'
import { ServiceConnectionPath } from '../../../shared/domain/connections/service-path.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { Connection, UpdateConnection } from '../../../shared/model/connection.ts'

/** PATCH /v1/connectionmgmt/services/{svc}/connections/{id}: a secret left out keeps its value. */
export const update = operation(
  {
    says: 'Update Connection',
    path: ServiceConnectionPath,
    body: UpdateConnection,
    answers: Connection,
    may: 'connection-admins',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await updateConnection(context, path.svc, path.id, body)
    return ok(item, rev)
  },
)
