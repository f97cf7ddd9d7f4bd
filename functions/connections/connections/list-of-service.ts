import { listConnections } from '../../../shared/domain/connections/list-connections.ts'
import { ServicePath } from '../../../shared/domain/connections/service-path.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/model/common.ts'
import { Connection, ConnectionQuery } from '../../../shared/model/connection.ts'

/** GET /v1/connectionmgmt/services/{svc}/connections */
export const listOfService = operation(
  {
    says: 'List Connections of Service',
    path: ServicePath,
    query: ConnectionQuery,
    answers: listOf(Connection),
    may: 'connection-readers',
  },
  async ({ path, query, context }) => ok(await listConnections(context, query, path.svc)),
)
