import * as z from 'zod'
import { CommonContainer, commonContainerFilters } from '../../../cloud/containers/model.ts'
import { NameOrId, Time } from '../../../http/common-fields.ts'
import { anyOf, anyTexts, listQuery, oneText } from '../../../http/lists/list-query.ts'
import { extended, object, strictObject } from '../../../base/lazy-fields.ts'
import { DATACUST_NAMES } from '../connections/model.ts'

const FoundGroup = object(() => ({
  group_id: z.string().meta({ description: "the cloud's id" }),
  name: z.string(),
  description: z.string().optional(),
  tenant: z.string().optional(),
  application_type: z.string().optional(),
  keystore_provider: z.string().meta({ description: 'where its keys are, such as AWS; empty if unknown' }),
}))

/** A group: the container of keys. */
export const DatacustGroup = extended(CommonContainer, () => ({
  ...FoundGroup.shape,
  cloud_name: z.enum(DATACUST_NAMES),
  refreshed_at: Time.optional().meta({ description: 'when all of its keys were last read' }),
}))
export type DatacustGroup = z.infer<typeof DatacustGroup>

const GroupId = z.string().regex(/^[A-Za-z0-9._-]{1,255}$/, { error: 'must be the id of a group at the cloud' })

/** Ours: as many as fit into one transaction. */
const GROUPS_AT_ONCE = 12
export const AddGroups = strictObject(() => ({
  connection: NameOrId,
  group_id: z
    .array(GroupId)
    .min(1)
    .max(GROUPS_AT_ONCE)
    .refine((ids) => new Set(ids).size === ids.length, { error: 'must not name one twice' }),
}))
export type AddGroups = z.infer<typeof AddGroups>
export const AddedGroups = object(() => ({ groups: z.array(DatacustGroup) }))
export const UpdateGroup = strictObject(() => ({
  connection: NameOrId.meta({ description: 'must reach the group, which is read anew' }),
}))
export type UpdateGroup = z.infer<typeof UpdateGroup>

export const GroupQuery = listQuery(DatacustGroup, () => ({
  ...commonContainerFilters,
  ...anyTexts('group_id', 'tenant', 'keystore_provider'),
  cloud_name: anyOf(DATACUST_NAMES).optional(),
}))

export const FindGroups = z.strictObject({ connection: NameOrId })
const IdentifiedGroup = extended(FoundGroup, () => ({
  id: z.string().meta({ description: "the cloud's id, as in group_id" }),
}))
export const FoundGroups = object(() => ({ groups: z.array(IdentifiedGroup) }))
export const CheckService = z.strictObject({ connection: NameOrId })
export const CheckedService = object(() => ({ connectable: z.boolean(), error: z.string().optional() }))

const Application = object(() => ({
  id: z.string().meta({ description: "the cloud's id" }),
  name: z.string(),
  group_id: z.string().meta({ description: "the cloud's id of the group" }),
}))
export const ApplicationQuery = listQuery(Application, () => ({
  ...anyTexts('name'),
  group: oneText().optional().meta({ description: 'id or name of a group; by default, every group that you may see' }),
}))
export type ApplicationQuery = z.infer<typeof ApplicationQuery>
export { Application }
