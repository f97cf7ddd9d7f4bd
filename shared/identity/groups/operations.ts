import { Deleted, listOf } from '../../http/common-fields.ts'
import { deleted, ok, operation, okStored, createdStored } from '../../http/operation.ts'
import { createGroup, deleteGroup, getGroup, listGroups, updateGroup } from './groups.ts'
import { addMember, removeMember } from './members.ts'
import { CreateGroup, DeleteGroupQuery, Group, GroupPath, GroupQuery, MemberPath, UpdateGroup } from './model.ts'

/** GET /v1/usermgmt/groups: oldest first unless sorted. */
export const list = operation(
  { summary: 'List Groups', query: GroupQuery, answers: listOf(Group), may: 'user-admins' },
  async ({ query, context }) => ok(await listGroups(context, query)),
)

/** POST /v1/usermgmt/groups */
export const create = operation(
  { summary: 'Create Group', body: CreateGroup, answers: Group, status: 201, may: 'user-admins' },
  async ({ body, context }) => createdStored(await createGroup(context, body)),
)

/** GET /v1/usermgmt/groups/{name} */
export const get = operation(
  { summary: 'Get Group', path: GroupPath, answers: Group, may: 'user-admins' },
  async ({ path, context }) => okStored(await getGroup(context, path.name)),
)

/** PATCH /v1/usermgmt/groups/{name}: members and permissions stay when a group is renamed. */
export const update = operation(
  { summary: 'Update Group', path: GroupPath, body: UpdateGroup, answers: Group, may: 'user-admins' },
  async ({ path, body, context }) => okStored(await updateGroup(context, path.name, body)),
)

/** DELETE /v1/usermgmt/groups/{name}: refused while it has members or permissions on containers, unless `force`. */
export const remove = operation(
  { summary: 'Delete Group', path: GroupPath, query: DeleteGroupQuery, answers: Deleted, may: 'user-admins' },
  async ({ path, query, context }) => {
    await deleteGroup(context, path.name, query.force)
    return deleted()
  },
)

/** POST /v1/usermgmt/groups/{name}/users/{user_id}: answers the group. */
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
