import type * as z from 'zod'
import type { Clouds } from '../../../shared/cloud/registry.ts'
import { updateConnection } from '../../../shared/cloud/connections/connections.ts'
import { ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { Connection, ConnectionPath } from '../../../shared/cloud/connections/model.ts'
import type { ChangedOfConnection } from '../../../shared/cloud/connections/bodies.ts'

/** PATCH /v1/connectionmgmt/services/<service>/connections/{id}: a secret left out keeps its value. */
export const updateOf = (service: keyof Clouds, body: z.ZodType<ChangedOfConnection>): Operation =>
  operation(
    { says: 'Update Connection', path: ConnectionPath, body, answers: Connection, may: 'connection-admins' },
    async ({ path, body: change, context }) => {
      const { item, rev } = await updateConnection(context, service, path.id, change)
      return ok(item, rev)
    },
  )
