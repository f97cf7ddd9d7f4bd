import { ServiceConnectionPath } from '../../../shared/domain/connections/service-path.ts'
import { testSaved } from '../../../shared/domain/connections/test-connection.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { ConnectionTest, UpdateConnection } from '../../../shared/model/connection.ts'

/** POST /v1/connectionmgmt/services/{svc}/connections/{id}/test: the body overrides the saved fields for this test. */
export const test = operation(
  {
    says: 'Test Connection',
    path: ServiceConnectionPath,
    body: UpdateConnection,
    answers: ConnectionTest,
    may: 'connection-admins',
  },
  async ({ path, body, context }) => ok(await testSaved(context, path.svc, path.id, body)),
)
