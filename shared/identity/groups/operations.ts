import { Deleted } from '../../http/common-fields.ts'
import { deleted, okStored, operation } from '../../http/operation.ts'
import { addMember, removeMember } from './members.ts'
import { Group, MemberPath } from './model.ts'

/** POST /v1/usermgmt/groups/{name}/users/{user_id}: returns the group. */
export const add = operation(
  { summary: 'Add User To Group', path: MemberPath, answers: Group, may: 'user-admins' },
  async ({ path, context }) => okStored(await addMember(context, path.name, path.user_id)),
)

/** DELETE /v1/usermgmt/groups/{name}/users/{user_id} */
export const dropMember = operation(
  { summary: 'Remove User From Group', path: MemberPath, answers: Deleted, may: 'user-admins' },
  async ({ path, context }) => {
    await removeMember(context, path.name, path.user_id)
    return deleted()
  },
)
