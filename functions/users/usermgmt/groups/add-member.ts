import { addMember } from '../../../../shared/identity/groups/members.ts'
import { ok, operation } from '../../../../shared/http/operation.ts'
import { Group, MemberPath } from '../../../../shared/identity/groups/model.ts'

/** POST /v1/usermgmt/groups/{name}/users/{user_id}: answers the group. */
export const add = operation(
  { says: 'Add User To Group', path: MemberPath, answers: Group, may: 'user-admins' },
  async ({ path, context }) => {
    const { item, rev } = await addMember(context, path.name, path.user_id)
    return ok(item, rev)
  },
)
