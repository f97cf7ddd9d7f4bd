import type * as z from 'zod'
import type { Context } from '../../../shared/http/context.ts'
import { accepted, ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { CustomKeyStore, CustomKeyStorePath } from '../../../shared/clouds/cloud-a/key-stores/model.ts'
import type { Stored } from '../../../shared/store/entity.ts'

type Act<B extends z.ZodType> = (context: Context, id: string, body: z.output<B>) => Promise<Stored<CustomKeyStore>>

const declared = <B extends z.ZodType>(says: string, body: B | undefined) => ({
  says,
  path: CustomKeyStorePath,
  ...(body && { body }),
  answers: CustomKeyStore,
  may: 'keymgr-users' as const,
})

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/<action>: does one thing to a store and answers it as it is then. */
export const storeAction = <B extends z.ZodType = z.ZodUndefined>(says: string, act: Act<B>, body?: B): Operation =>
  operation(declared(says, body), async ({ path, body: args, context }) => {
    const { item, rev } = await act(context, path.id, args)
    return ok(item, rev)
  })

/** The same for what the cloud takes its time for: the store is on the way. */
export const storeMove = <B extends z.ZodType = z.ZodUndefined>(says: string, act: Act<B>, body?: B): Operation =>
  operation({ ...declared(says, body), status: 202 }, async ({ path, body: args, context }) =>
    accepted((await act(context, path.id, args)).item),
  )
