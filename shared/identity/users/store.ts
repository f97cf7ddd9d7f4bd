import * as z from 'zod'
import { User } from './model.ts'
import { entity } from '../../store/entity.ts'

/** Fields kept in the login record instead, so that log-ins do not write this item. */
const OF_LOGINS = {
  failed_logins_count: true,
  logins_count: true,
  last_login: true,
  last_failed_login_at: true,
  account_lockout_at: true,
} as const

const StoredUser = User.omit({ groups: true, ...OF_LOGINS }).extend({
  /** ids of groups in the user's own domain, possibly deleted; groups in other domains are in their `guest` items */
  group_ids: z.array(z.string()),
  /** child domains that have the user as a guest, possibly deleted */
  guest_in: z.array(z.string()),
  /** argon2id, PHC string format */
  password_hash: z.string(),
  /** hashes of former passwords, newest first, as many as the policy remembers */
  password_history: z.array(z.string()),
  /** names `certificate_subject_dn`, which may be longer than a key of the table; absent from records of former versions */
  subject_key: z.string().optional(),
  /** log-ins from before this time cannot be renewed */
  refresh_not_before: z.string().optional(),
})
export type StoredUser = z.infer<typeof StoredUser>

/** The set of users with this password policy. */
export const usersWithPolicy = (policyName: string): string => `policy:${policyName}`

/** Reads served: a user by id; by user name; by certificate subject; a domain's users, oldest first; those with a password policy, counted. */
export const users = entity({
  name: 'user',
  schema: StoredUser,
  id: ({ user_id }) => user_id,
  unique: ({ username, subject_key: subject }) => ({
    username: [username],
    ...(subject !== undefined && { subject: [subject] }),
  }),
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
