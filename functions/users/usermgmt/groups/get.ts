import { getGroup } from '../../../../shared/identity/groups/groups.ts'
import { ok, operation } from '../../../../shared/http/operation.ts'
import { Group, GroupPath } from '../../../../shared/identity/groups/model.ts'

/** GET /v1/usermgmt/groups/{name} */
export const get = operation(
  { says: 'Get Group', path: GroupPath, answers: Group, may: 'user-admins' },
  async ({ path, context }) => {
    const { item, rev } = await getGroup(context, path.name)
    return ok(item, rev)
  },
)
