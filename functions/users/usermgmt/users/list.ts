import { listUsers } from '../../../../shared/identity/users/list-users.ts'
import { ok, operation } from '../../../../shared/http/operation.ts'
import { listOf } from '../../../../shared/http/common-fields.ts'
import { User, UserQuery } from '../../../../shared/identity/users/model.ts'

/** GET /v1/usermgmt/users: oldest first unless sorted; names, user names and addresses may be patterns. */
export const list = operation(
  { says: 'List Users', query: UserQuery, answers: listOf(User), may: 'user-admins' },
  async ({ query, context }) => ok(await listUsers(context, query)),
)
