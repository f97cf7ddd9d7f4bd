import { removeMember } from '../../../../shared/identity/groups/members.ts'
import { deleted, operation } from '../../../../shared/http/operation.ts'
import { Deleted } from '../../../../shared/http/common-fields.ts'
import { MemberPath } from '../../../../shared/identity/groups/model.ts'

/** DELETE /v1/usermgmt/groups/{name}/users/{user_id} */
export const remove = operation(
  { says: 'Remove User From Group', path: MemberPath, answers: Deleted, may: 'user-admins' },
  async ({ path, context }) => {
    await removeMember(context, path.name, path.user_id)
    return deleted()
  },
)
