import { createHash } from 'node:crypto'
import * as z from 'zod'
import { LOCAL_ACCOUNT, User } from './model.ts'
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
  /** ids of the groups that those of the user's connection stand for, as of the last log-in; possibly deleted */
  mapped_group_ids: z.array(z.string()).optional(),
  /** argon2id, PHC string format; absent for users of a connection */
  password_hash: z.string().optional(),
  /** hashes of former passwords, newest first, as many as the policy remembers */
  password_history: z.array(z.string()),
  /** names `certificate_subject_dn`, which may be longer than a key of the table; absent from records of former versions */
  subject_key: z.string().optional(),
  /** log-ins from before this time cannot be renewed */
  refresh_not_before: z.string().optional(),
  /** of users of a connection, in the user's own domain */
  connection_id: z.string().optional(),
  /** what never changes of the user over there; absent before the first log-in */
  external_id: z.string().optional(),
})
export type StoredUser = z.infer<typeof StoredUser>

/** Ids of all groups of a user in their own domain, given here or by their connection; possibly deleted. */
export const heldGroupIds = ({ group_ids, mapped_group_ids = [] }: StoredUser): string[] => [
  ...new Set([...group_ids, ...mapped_group_ids]),
]

/** The unique value of a user who is linked to somebody of a connection. */
export const externalKey = (connectionId: string, externalId: string): string =>
  `${connectionId} ${createHash('sha256').update(externalId).digest('base64url')}`

/** The set of users with this password policy. */
export const usersWithPolicy = (policyName: string): string => `policy:${policyName}`

/**
 * Reads served: a user by id; by user name; by certificate subject; by who they are of a connection; a domain's users, oldest
 * first; those with a password policy, counted.
 */
export const users = entity({
  name: 'user',
  schema: StoredUser,
  id: ({ user_id }) => user_id,
  unique: ({ username, subject_key: subject, connection_id, external_id }) => ({
    username: [username],
    ...(subject !== undefined && { subject: [subject] }),
    ...(connection_id !== undefined &&
      external_id !== undefined && { external: [externalKey(connection_id, external_id)] }),
  }),
  sets: ({ password_policy }) => ['all', ...(password_policy === undefined ? [] : [usersWithPolicy(password_policy)])],
  row: (user) => ({
    username: user.username,
    name: user.name,
    email: user.email,
    ...(user.connection !== LOCAL_ACCOUNT && { connection: user.connection }),
    group_ids: heldGroupIds(user),
    created_at: user.created_at,
    updated_at: user.updated_at,
  }),
})
