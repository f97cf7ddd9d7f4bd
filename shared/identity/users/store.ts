import * as z from 'zod'
import { User } from './model.ts'
import { entity } from '../../store/entity.ts'

/** What a user's log-ins change stands in the log-in record, so that log-ins leave this item alone. */
const OF_LOGINS = {
  failed_logins_count: true,
  logins_count: true,
  last_login: true,
  last_failed_login_at: true,
  account_lockout_at: true,
} as const

const StoredUser = User.omit({ groups: true, ...OF_LOGINS }).extend({
  /** ids of groups of the user's own domain, of which some may be gone; what they hold elsewhere is a `guest` there */
  group_ids: z.array(z.string()),
  /** child domains that have the user as a guest, of which some may be gone */
  guest_in: z.array(z.string()),
  /** argon2id, PHC string format */
  password_hash: z.string(),
  /** hashes of former passwords, newest first, as many as the policy looks back */
  password_history: z.array(z.string()),
  /** log-ins renewed from before this time are not renewed any more */
  refresh_not_before: z.string().optional(),
})
export type StoredUser = z.infer<typeof StoredUser>

/** The set of a domain's users who have a password policy of their own. */
export const usersWithPolicy = (policyName: string): string => `policy:${policyName}`

/** Reads served: a user by id; by user name; a domain's users, oldest first; those with a password policy, counted. */
export const users = entity({
  name: 'user',
  schema: StoredUser,
  id: ({ user_id }) => user_id,
  unique: ({ username }) => ({ username: [username] }),
  sets: ({ password_policy }) => ['all', ...(password_policy === undefined ? [] : [usersWithPolicy(password_policy)])],
  row: ({ username, name, email, group_ids, created_at, updated_at }) => ({
    username,
    name,
    email,
    group_ids,
    created_at,
    updated_at,
  }),
})
