import { Deleted, listOf } from '../../http/common-fields.ts'
import { deleted, ok, operation, okStored, createdStored } from '../../http/operation.ts'
import { listUsers } from './list-users.ts'
import { CreateUser, UpdateUser, User, UserPath, UserQuery } from './model.ts'
import { deleteUser } from './delete-user.ts'
import { createUser, getUser, updateUser } from './users.ts'

/** GET /v1/usermgmt/users: oldest first unless sorted; names, user names and addresses may be patterns. */
export const list = operation(
  { summary: 'List Users', query: UserQuery, answers: listOf(User), may: 'user-admins' },
  async ({ query, context }) => ok(await listUsers(context, query)),
)

/** POST /v1/usermgmt/users: a user of the local store, without groups. */
export const create = operation(
  { summary: 'Create User', body: CreateUser, answers: User, status: 201, may: 'user-admins' },
  async ({ body, context }) => createdStored(await createUser(context, body)),
)

/** GET /v1/usermgmt/users/{user_id}: includes the names of the user's groups. */
export const get = operation(
  { summary: 'Get User', path: UserPath, answers: User, may: 'user-admins' },
  async ({ path, context }) => okStored(await getUser(context, path.user_id)),
)

/** PATCH /v1/usermgmt/users/{user_id}: only given fields change; `failed_logins_count` 0 unlocks. */
export const update = operation(
  { summary: 'Update User', path: UserPath, body: UpdateUser, answers: User, may: 'user-admins' },
  async ({ path, body, context }) => okStored(await updateUser(context, path.user_id, body)),
)

/** DELETE /v1/usermgmt/users/{user_id}: also removes memberships, permissions on containers and log-ins. */
export const remove = operation(
  { summary: 'Delete User', path: UserPath, answers: Deleted, may: 'user-admins' },
  async ({ path, context }) => {
    await deleteUser(context, path.user_id)
    return deleted()
  },
)
