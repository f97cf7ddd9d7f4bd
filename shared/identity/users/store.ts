import { createHash } from 'node:crypto'
import * as z from 'zod'
import { LOCAL_ACCOUNT, User } from './model.ts'
import { entity } from '../../store/entity.ts'
import { extended } from '../../base/lazy-fields.ts'

/** Fields in the login record instead, so that log-ins do not write this item. */
const OF_LOGINS = {
  failed_logins_count: true,
  logins_count: true,
  last_login: true,
  last_failed_login_at: true,
  account_lockout_at: true,
} as const

const StoredUser = extended(User.omit({ groups: true, ...OF_LOGINS }), () => ({
  /**
   * ids of groups in the user's own domain, which may be deleted; groups in other domains are in their `guest` items
   */
  group_ids: z.array(z.string()),
  /** child domains of which the user is a guest, which may be deleted */
  guest_in: z.array(z.string()),
  /** ids of mapped groups of the user's connection, from the last log-in; they may be deleted */
  mapped_group_ids: z.array(z.string()).optional(),
  /** argon2id, PHC string format; absent for users of a connection */
  password_hash: z.string().optional(),
  /** hashes of former passwords, newest first, as many as the policy remembers */
  password_history: z.array(z.string()),
  /**
   * short form of `certificate_subject_dn`, which may exceed a key of the table; absent in records of earlier versions
   */
  subject_key: z.string().optional(),
  /** log-ins before this time cannot be renewed */
  refresh_not_before: z.string().optional(),
  /** connection of the user, in the user's own domain */
  connection_id: z.string().optional(),
  /** constant identifier of the user at the connection; absent before the first log-in */
  external_id: z.string().optional(),
}))
export type StoredUser = z.infer<typeof StoredUser>

/**
 * Ids of all groups of a user in their own domain, assigned here or mapped from their connection; they may be deleted.
 */
export const heldGroupIds = ({ group_ids, mapped_group_ids = [] }: StoredUser): string[] => [
  ...new Set([...group_ids, ...mapped_group_ids]),
]

/** The unique value of a user who is linked to a person of a connection. */
export const externalKey = (connectionId: string, externalId: string): string =>
  `${connectionId} ${createHash('sha256').update(externalId).digest('base64url')}`

/** The set of users with this password policy. */
export const usersWithPolicy = (policyName: string): string => `policy:${policyName}`

/**
 * Supported reads: a user by id; by user name; by certificate subject; by their identity at a connection; a domain's
 * users, oldest first; those with a password policy, counted.
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
