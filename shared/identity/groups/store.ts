import * as z from 'zod'
import { Group } from './model.ts'
import { entity } from '../../store/entity.ts'
import { extended, object } from '../../base/lazy-fields.ts'

const StoredGroup = extended(Group.omit({ users_count: true }), () => ({ id: z.uuid() }))
export type StoredGroup = z.infer<typeof StoredGroup>

/**
 * Supported reads: a group by id; by name; a domain's groups, oldest first. Members refer to groups by id, which a
 * rename does not change; ids of deleted groups are ignored. The member count is a separate item.
 */
export const groups = entity({
  name: 'group',
  schema: StoredGroup,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, created_at, updated_at }) => ({ id, name, created_at, updated_at }),
})

const Guest = object(() => ({
  user_id: z.string(),
  home_domain_id: z.string(),
  username: z.string(),
  group_ids: z.array(z.string()),
  createdAt: z.string(),
}))
export type Guest = z.infer<typeof Guest>

/** The groups of a user of the root domain in a child domain. Supported reads: by user id; a domain's guests. */
export const guests = entity({
  name: 'guest',
  schema: Guest,
  id: ({ user_id }) => user_id,
  sets: () => ['all'],
  row: ({ username, group_ids, createdAt }) => ({ username, group_ids, createdAt }),
})

/**
 * The groups of a user or client. A damaged one keeps its id, so that policies that deny its members are in force, and
 * has no name: it permits nothing.
 */
export async function heldGroups(domain: string, ids: readonly string[]): Promise<StoredGroup[]> {
  const found = await groups.getMany(domain, ids, 'salvage')
  return found.map(({ item, damage }) => (damage === undefined ? item : { ...item, id: damage.id, name: '' }))
}
