import * as z from 'zod'
import { Time, UserId } from '../../http/common-fields.ts'
import { anyText, flag, listQuery } from '../../http/lists/list-query.ts'
import { object, strictObject } from '../../base/lazy-fields.ts'

/** A renewable log-in, without its secret. */
export const RefreshToken = object(() => ({
  id: z.uuid(),
  user_id: z.string(),
  client_id: z.string().optional(),
  createdAt: Time,
  updatedAt: Time,
  expiresAt: Time.optional(),
  revokedAt: Time.optional(),
  lastUsedAt: Time.optional(),
  labels: z.array(z.string()),
  idleMinutes: z.int().optional(),
}))
export type RefreshToken = z.infer<typeof RefreshToken>

export const RefreshTokenPath = strictObject(() => ({ id: z.uuid() }))
export const RefreshTokenQuery = listQuery(RefreshToken, () => ({
  expired: flag().optional(),
  revoked: flag().optional(),
  labels: anyText().optional(),
  user_id: anyText(UserId).optional(),
}))
export type RefreshTokenQuery = z.infer<typeof RefreshTokenQuery>

export const RevokeToken = strictObject(() => ({
  client_id: z.string().max(255).optional(),
  refresh_token: z.string().min(1).max(1_024).optional().meta({ description: 'default the session cookie' }),
}))
