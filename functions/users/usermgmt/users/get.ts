import { getUser } from '../../../../shared/identity/users/users.ts'
import { ok, operation } from '../../../../shared/http/operation.ts'
import { User, UserPath } from '../../../../shared/identity/users/model.ts'

/** GET /v1/usermgmt/users/{user_id}: with the names of the groups the user is in. */
export const get = operation(
  { says: 'Get User', path: UserPath, answers: User, may: 'user-admins' },
  async ({ path, context }) => {
    const { item, rev } = await getUser(context, path.user_id)
    return ok(item, rev)
  },
)
