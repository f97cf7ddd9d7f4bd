import { CLOUD_A_RULES } from '../../../shared/domain/connections/rules.ts'
import { ServicePath } from '../../../shared/domain/connections/service-path.ts'
import { testUnsaved as testFields } from '../../../shared/domain/connections/test-connection.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { ConnectionTest, UnsavedConnection } from '../../../shared/model/connection.ts'
import { withRules } from '../../../shared/model/rules.ts'

/** POST /v1/connectionmgmt/services/{svc}/connection-test: nothing is stored. */
export const testUnsaved = operation(
  {
    says: 'Test Unsaved Connection',
    path: ServicePath,
    body: withRules(UnsavedConnection, ...CLOUD_A_RULES),
    answers: ConnectionTest,
    may: 'connection-admins',
    reads: true,
  },
  async ({ path, body, context }) => ok(await testFields(context, path.svc, body)),
)
