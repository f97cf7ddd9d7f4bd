import type * as z from 'zod'
import type { Clouds } from '../../../shared/cloud/registry.ts'
import { testUnsaved } from '../../../shared/cloud/connections/test-connection.ts'
import { ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { ConnectionTest } from '../../../shared/cloud/connections/model.ts'
import type { GivenOfConnection } from '../../../shared/cloud/connections/bodies.ts'

/** POST /v1/connectionmgmt/services/<service>/connection-test: nothing is stored. */
export const testUnsavedOf = (service: keyof Clouds, body: z.ZodType<GivenOfConnection>): Operation =>
  operation(
    { says: 'Test Unsaved Connection', body, answers: ConnectionTest, may: 'connection-admins', reads: true },
    async ({ body: given, context }) => ok(await testUnsaved(context, service, given)),
  )
