import { deleteGroup } from '../../../../shared/identity/groups/groups.ts'
import { deleted, operation } from '../../../../shared/http/operation.ts'
import { Deleted } from '../../../../shared/http/common-fields.ts'
import { DeleteGroupQuery, GroupPath } from '../../../../shared/identity/groups/model.ts'

/** DELETE /v1/usermgmt/groups/{name}: refused while it has members or permissions on containers, unless `force`. */
export const remove = operation(
  { says: 'Delete Group', path: GroupPath, query: DeleteGroupQuery, answers: Deleted, may: 'user-admins' },
  async ({ path, query, context }) => {
    await deleteGroup(context, path.name, query.force)
    return deleted()
  },
)
