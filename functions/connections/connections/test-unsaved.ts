import type * as z from 'zod'
import type { Clouds } from '../../../shared/clouds/registry.ts'
import { testUnsaved } from '../../../shared/domain/connections/test-connection.ts'
import { ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { ConnectionTest } from '../../../shared/model/connection.ts'
import type { GivenOfConnection } from '../../../shared/model/connection-common.ts'

/** POST /v1/connectionmgmt/services/<service>/connection-test: nothing is stored. */
export const testUnsavedOf = (service: keyof Clouds, body: z.ZodType<GivenOfConnection>): Operation =>
  operation(
    { says: 'Test Unsaved Connection', body, answers: ConnectionTest, may: 'connection-admins', reads: true },
    async ({ body: given, context }) => ok(await testUnsaved(context, service, given)),
  )
