import { listConnections } from '../../../shared/cloud/connections/list-connections.ts'
import { ServicePath } from '../../../shared/cloud/connections/service-path.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { Connection, ConnectionQuery } from '../../../shared/cloud/connections/model.ts'

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
