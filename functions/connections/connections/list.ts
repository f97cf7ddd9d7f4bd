import { listConnections } from '../../../shared/cloud/connections/list-connections.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { Connection, ConnectionQuery } from '../../../shared/cloud/connections/model.ts'

/** GET /v1/connectionmgmt/connections: of every kind. */
export const list = operation(
  { says: 'List Connections', query: ConnectionQuery, answers: listOf(Connection), may: 'connection-readers' },
  async ({ query, context }) => ok(await listConnections(context, query)),
)
