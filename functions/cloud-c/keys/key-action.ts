import type * as z from 'zod'
import type { Context } from '../../../shared/http/context.ts'
import { ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { CloudCKey, CloudCKeyPath } from '../../../shared/clouds/cloud-c/keys/model.ts'
import type { Stored } from '../../../shared/store/entity.ts'

/** Does one thing to a key, at /v1/keymgr/cloud-c/keys/{id}..., and answers it as it is then. */
export const keyAction = <B extends z.ZodType = z.ZodUndefined>(
  says: string,
  act: (context: Context, id: string, body: z.output<B>) => Promise<Stored<CloudCKey>>,
  body?: B,
): Operation =>
  operation(
    { says, path: CloudCKeyPath, ...(body && { body }), answers: CloudCKey, may: 'keymgr-users' },
    async ({ path, body: args, context }) => {
      const { item, rev } = await act(context, path.id, args)
      return ok(item, rev)
    },
  )
