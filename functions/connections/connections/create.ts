import { createConnection } from '../../../shared/domain/connections/connections.ts'
import { CLOUD_A_RULES } from '../../../shared/domain/connections/rules.ts'
import { ServicePath } from '../../../shared/domain/connections/service-path.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { Connection, CreateConnection } from '../../../shared/model/connection.ts'
import { withRules } from '../../../shared/model/rules.ts'

/** POST /v1/connectionmgmt/services/{svc}/connections: does not test what it creates. */
export const create = operation(
  {
    says: 'Create Connection',
    path: ServicePath,
    body: withRules(CreateConnection, ...CLOUD_A_RULES),
    answers: Connection,
    status: 201,
    may: 'connection-admins',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await createConnection(context, path.svc, body)
    return created(item, rev)
  },
)
