import * as z from 'zod'
import { Refusal } from '../../base/errors.ts'
import { FreeJson, Name, Time, UserId, FreeText, Uuid } from '../../http/common-fields.ts'
import { anyPattern, anyText, anyTexts, flag, listQuery } from '../../http/lists/list-query.ts'
import { isAmong } from '../../base/json.ts'
import { object, strictObject } from '../../base/lazy-fields.ts'

export const ADMIN_GROUP = 'admin'
/** Contains every registered client. */
export const ALL_CLIENTS = 'All Clients'

/** System groups: every domain has them; they cannot be deleted or renamed. */
export const SYSTEM_GROUPS = [
  ADMIN_GROUP,
  'User Admins',
  'CA Admins',
  'Key Admins',
  'Key Users',
  'Connection Admins',
  'Client Admins',
  'Domain Admins',
  'Audit Admins',
  'keymgr Admins',
  'keymgr Users',
  'keymgr Reports Users',
  ALL_CLIENTS,
] as const

/** The refusal of a member of `admin` who could not log in with a password. */
export const withoutPassword = (): Refusal =>
  new Refusal(
    'STATE_CONFLICT',
    `Members of the group ${ADMIN_GROUP} log in by password, too: the end of a certificate or of an authority must not leave a domain without an administrator.`,
  )

export const isSystemGroup = (name: string): boolean => isAmong(SYSTEM_GROUPS, name)

export const Group = object(() => ({
  name: z.string(),
  description: z.string().optional(),
  app_metadata: FreeJson.optional(),
  client_metadata: FreeJson.optional(),
  user_metadata: FreeJson.optional(),
  users_count: z.int(),
  created_at: Time,
  updated_at: Time,
}))
export type Group = z.infer<typeof Group>

export const GroupPath = z.strictObject({ name: Name })
export const MemberPath = z.strictObject({ name: Name, user_id: UserId })

const metadata = {
  app_metadata: FreeJson.optional(),
  client_metadata: FreeJson.optional(),
  user_metadata: FreeJson.optional(),
}
export const CreateGroup = strictObject(() => ({ name: Name, description: FreeText.optional(), ...metadata }))
export type CreateGroup = z.infer<typeof CreateGroup>

export const UpdateGroup = strictObject(() => ({
  name: Name.optional(),
  description: FreeText.nullable().optional(),
  app_metadata: FreeJson.nullable().optional(),
  client_metadata: FreeJson.nullable().optional(),
  user_metadata: FreeJson.nullable().optional(),
}))
export type UpdateGroup = z.infer<typeof UpdateGroup>

export const DeleteGroupQuery = strictObject(() => ({ force: flag().optional() }))

export const GroupQuery = listQuery(Group, () => ({
  name: anyPattern().optional(),
  users: anyText(UserId).optional(),
  clients: anyText(Uuid).optional(),
  ...anyTexts('connection'),
}))
export type GroupQuery = z.infer<typeof GroupQuery>
