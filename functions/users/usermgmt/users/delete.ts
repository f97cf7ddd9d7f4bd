import { deleteUser } from '../../../../shared/identity/users/users.ts'
import { deleted, operation } from '../../../../shared/http/operation.ts'
import { Deleted } from '../../../../shared/http/common-fields.ts'
import { UserPath } from '../../../../shared/identity/users/model.ts'

/** DELETE /v1/usermgmt/users/{user_id}: memberships, permissions on containers and log-ins end with the user. */
export const remove = operation(
  { says: 'Delete User', path: UserPath, answers: Deleted, may: 'user-admins' },
  async ({ path, context }) => {
    await deleteUser(context, path.user_id)
    return deleted()
  },
)
