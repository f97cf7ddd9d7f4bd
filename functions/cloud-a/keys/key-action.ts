import type * as z from 'zod'
import type { Context } from '../../../shared/http/context.ts'
import { ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { CloudAKey, CloudAKeyPath } from '../../../shared/clouds/cloud-a/keys/model.ts'
import type { Stored } from '../../../shared/store/entity.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/<action>: does one thing to a key and answers it as it is then. */
export const keyAction = <B extends z.ZodType = z.ZodUndefined>(
  says: string,
  act: (context: Context, id: string, body: z.output<B>) => Promise<Stored<CloudAKey>>,
  body?: B,
): Operation =>
  operation(
    { says, path: CloudAKeyPath, ...(body && { body }), answers: CloudAKey, may: 'keymgr-users' },
    async ({ path, body: args, context }) => {
      const { item, rev } = await act(context, path.id, args)
      return ok(item, rev)
    },
  )
