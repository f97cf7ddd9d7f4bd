import type * as z from 'zod'
import type { Clouds } from '../../../shared/cloud/registry.ts'
import { testSaved } from '../../../shared/cloud/connections/test-connection.ts'
import { ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { ConnectionPath, ConnectionTest } from '../../../shared/cloud/connections/model.ts'
import type { ChangedOfConnection } from '../../../shared/cloud/connections/bodies.ts'

/** POST /v1/connectionmgmt/services/<service>/connections/{id}/test: the body overrides the saved fields for this test. */
export const testOf = (service: keyof Clouds, body: z.ZodType<ChangedOfConnection>): Operation =>
  operation(
    { says: 'Test Connection', path: ConnectionPath, body, answers: ConnectionTest, may: 'connection-admins' },
    async ({ path, body: change, context }) => ok(await testSaved(context, service, path.id, change)),
  )
