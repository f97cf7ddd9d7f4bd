import { getSelf } from '../../../shared/identity/tokens/self.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { User } from '../../../shared/identity/users/model.ts'

/** GET /v1/auth/self/user: the caller. */
export const getUser = operation({ says: 'Get Self', answers: User, may: 'signed-in' }, async ({ context }) => {
  const { item, rev } = await getSelf(context)
  return ok(item, rev)
})
