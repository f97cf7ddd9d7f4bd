import { updateSelf } from '../../../shared/identity/tokens/self.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { UpdateSelf, User } from '../../../shared/identity/users/model.ts'

/** PATCH /v1/auth/self/user: what everybody may change of themselves. */
export const updateUser = operation(
  { says: 'Update Self', body: UpdateSelf, answers: User, may: 'signed-in' },
  async ({ body, context }) => {
    const { item, rev } = await updateSelf(context, body)
    return ok(item, rev)
  },
)
