import { createUser } from '../../../../shared/identity/users/users.ts'
import { created, operation } from '../../../../shared/http/operation.ts'
import { CreateUser, User } from '../../../../shared/identity/users/model.ts'

/** POST /v1/usermgmt/users: a user of the local store, in no group yet. */
export const create = operation(
  { says: 'Create User', body: CreateUser, answers: User, status: 201, may: 'user-admins' },
  async ({ body, context }) => {
    const { item, rev } = await createUser(context, body)
    return created(item, rev)
  },
)
