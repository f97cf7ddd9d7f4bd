import type * as z from 'zod'
import type { Clouds } from '../../../shared/cloud/registry.ts'
import { createConnection } from '../../../shared/cloud/connections/connections.ts'
import { created, operation, type Operation } from '../../../shared/http/operation.ts'
import { Connection } from '../../../shared/cloud/connections/model.ts'
import type { GivenOfConnection } from '../../../shared/cloud/connections/bodies.ts'

/** POST /v1/connectionmgmt/services/<service>/connections: does not test what it creates. */
export const createOf = (
  service: keyof Clouds,
  body: z.ZodType<GivenOfConnection & { readonly name: string }>,
): Operation =>
  operation(
    { says: 'Create Connection', body, answers: Connection, status: 201, may: 'connection-admins' },
    async ({ body: given, context }) => {
      const { item, rev } = await createConnection(context, service, given)
      return created(item, rev)
    },
  )
