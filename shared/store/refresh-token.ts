import * as z from 'zod'
import { RefreshToken } from '../model/token.ts'
import { entity } from './entity.ts'

const StoredRefreshToken = RefreshToken.extend({
  /** SHA-256 of the secret part, base64: the secret has 256 random bits, so a plain hash does */
  secret_hash: z.string(),
  home_domain_id: z.string(),
})
export type StoredRefreshToken = z.infer<typeof StoredRefreshToken>

/** Reads served: a log-in by id; a domain's log-ins, oldest first; a user's own; those that have ended for good. */
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
  due: ({ expiresAt, revokedAt }) => {
    const at = revokedAt ?? expiresAt
    return at === undefined ? undefined : { what: 'expire-refresh-token', at }
  },
})
