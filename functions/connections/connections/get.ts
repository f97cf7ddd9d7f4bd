import { getConnection } from '../../../shared/cloud/connections/connections.ts'
import { ServiceConnectionPath } from '../../../shared/cloud/connections/service-path.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { Connection } from '../../../shared/cloud/connections/model.ts'

/** GET /v1/connectionmgmt/services/{svc}/connections/{id}: by id or name. */
export const get = operation(
  { says: 'Get Connection', path: ServiceConnectionPath, answers: Connection, may: 'connection-readers' },
  async ({ path, context }) => {
    const { item, rev } = await getConnection(context, path.svc, path.id)
    return ok(item, rev)
  },
)
