import * as z from 'zod'
import { Group } from './model.ts'
import { entity } from '../../store/entity.ts'

const StoredGroup = Group.omit({ users_count: true }).extend({ id: z.uuid() })
export type StoredGroup = z.infer<typeof StoredGroup>

/**
 * Reads served: a group by id; by name; a domain's groups, oldest first. Members name groups by id, so a rename keeps
 * them, and what names a group that is gone names nothing. How many they are is in the group's member count.
 */
export const groups = entity({
  name: 'group',
  schema: StoredGroup,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, created_at, updated_at }) => ({ id, name, created_at, updated_at }),
})

const Guest = z.object({
  user_id: z.string(),
  home_domain_id: z.string(),
  username: z.string(),
  group_ids: z.array(z.string()),
  createdAt: z.string(),
})
export type Guest = z.infer<typeof Guest>

/** What a user of the root domain holds in a child domain. Reads served: by user id; a domain's guests. */
export const guests = entity({
  name: 'guest',
  schema: Guest,
  id: ({ user_id }) => user_id,
  sets: () => ['all'],
  row: ({ username, group_ids, createdAt }) => ({ username, group_ids, createdAt }),
})
