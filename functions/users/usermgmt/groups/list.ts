import { listGroups } from '../../../../shared/identity/groups/groups.ts'
import { ok, operation } from '../../../../shared/http/operation.ts'
import { listOf } from '../../../../shared/http/common-fields.ts'
import { Group, GroupQuery } from '../../../../shared/identity/groups/model.ts'

/** GET /v1/usermgmt/groups: oldest first unless sorted. */
export const list = operation(
  { says: 'List Groups', query: GroupQuery, answers: listOf(Group), may: 'user-admins' },
  async ({ query, context }) => ok(await listGroups(context, query)),
)
