import { createGroup } from '../../../../shared/identity/groups/groups.ts'
import { created, operation } from '../../../../shared/http/operation.ts'
import { CreateGroup, Group } from '../../../../shared/identity/groups/model.ts'

/** POST /v1/usermgmt/groups */
export const create = operation(
  { says: 'Create Group', body: CreateGroup, answers: Group, status: 201, may: 'user-admins' },
  async ({ body, context }) => {
    const { item, rev } = await createGroup(context, body)
    return created(item, rev)
  },
)
