import { updateUser } from '../../../../shared/identity/users/users.ts'
import { ok, operation } from '../../../../shared/http/operation.ts'
import { UpdateUser, User, UserPath } from '../../../../shared/identity/users/model.ts'

/** PATCH /v1/usermgmt/users/{user_id}: only what is present changes; `failed_logins_count` 0 unlocks. */
export const update = operation(
  { says: 'Update User', path: UserPath, body: UpdateUser, answers: User, may: 'user-admins' },
  async ({ path, body, context }) => {
    const { item, rev } = await updateUser(context, path.user_id, body)
    return ok(item, rev)
  },
)
