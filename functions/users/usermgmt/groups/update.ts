import { updateGroup } from '../../../../shared/identity/groups/groups.ts'
import { ok, operation } from '../../../../shared/http/operation.ts'
import { Group, GroupPath, UpdateGroup } from '../../../../shared/identity/groups/model.ts'

/** PATCH /v1/usermgmt/groups/{name}: members and permissions stay when a group is renamed. */
export const update = operation(
  { says: 'Update Group', path: GroupPath, body: UpdateGroup, answers: Group, may: 'user-admins' },
  async ({ path, body, context }) => {
    const { item, rev } = await updateGroup(context, path.name, body)
    return ok(item, rev)
  },
)
