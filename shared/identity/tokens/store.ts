import * as z from 'zod'
import { RefreshToken } from './refresh-token-model.ts'
import { DAY_MS, later, MINUTE_MS } from '../../base/time.ts'
import { entity } from '../../store/entity.ts'
import { extended } from '../../base/lazy-fields.ts'
import { AUTH_METHODS } from '../users/model.ts'

const StoredRefreshToken = extended(RefreshToken, () => ({
  /** SHA-256 of the secret part, base64; a plain hash is sufficient for 256 random bits */
  secret_hash: z.string(),
  home_domain_id: z.string(),
  /** how the user logged in; absent for a password */
  auth_method: z.enum(AUTH_METHODS).optional(),
}))
export type StoredRefreshToken = z.infer<typeof StoredRefreshToken>

/** Ours: an ended log-in is listed for another week. */
const SHOWN_MS = 7 * DAY_MS

/** Time at which a log-in ends: revoked, expired, or unused too long. */
function endOf({ revokedAt, expiresAt, idleMinutes, lastUsedAt, createdAt }: RefreshToken): Date | undefined {
  if (revokedAt !== undefined) return new Date(revokedAt)
  const idle = idleMinutes === undefined ? [] : [Date.parse(lastUsedAt ?? createdAt) + idleMinutes * MINUTE_MS]
  const ends = [...(expiresAt === undefined ? [] : [Date.parse(expiresAt)]), ...idle]
  return ends.length === 0 ? undefined : new Date(Math.min(...ends))
}

/** Supported reads: a log-in by id; a domain's log-ins, oldest first; a user's own; those that have ended. */
export const refreshTokens = entity({
  name: 'refresh-token',
  schema: StoredRefreshToken,
  id: ({ id }) => id,
  sets: () => ['all'],
  families: ({ user_id, id }) => [{ name: user_id, key: id }],
  row: ({ user_id, createdAt, updatedAt, expiresAt, revokedAt, lastUsedAt, idleMinutes, labels }) => ({
    user_id,
    createdAt,
    updatedAt,
    expiresAt,
    revokedAt,
    lastUsedAt,
    idleMinutes,
    labels,
  }),
  due: (token) => {
    const ended = endOf(token)
    return ended === undefined ? undefined : { what: 'expire-refresh-token', at: later(ended, SHOWN_MS).toISOString() }
  },
})
