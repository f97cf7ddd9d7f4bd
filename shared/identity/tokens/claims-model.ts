import * as z from 'zod'
import { UserId, Uuid } from '../../http/common-fields.ts'
import { object } from '../../base/lazy-fields.ts'

export const audienceOf = (issuer: string): string => `${issuer}/api`

/** `cust.client_type` of a registered client; in other tokens, `client_id` is that of a public client. */
export const CLIENT = 'client'

/**
 * Claims of a token. Ours: `cust.zone_id` is the domain that owns the user or the client, `cust.sid` the refresh token.
 * `cnf` binds the token to a client certificate (RFC 8705 §3.1).
 */
export const TokenClaims = object(() => ({
  iss: z.string(),
  aud: z.string(),
  sub: z.union([UserId, Uuid]),
  acc: z.string(),
  preferred_username: z.string(),
  cust: z.object({
    domain_id: z.string(),
    domain_name: z.string(),
    groups: z.array(z.string()),
    /** ids of the groups, in the same order */
    group_ids: z.array(z.string()).optional(),
    sid: z.string().optional(),
    zone_id: z.string(),
    client_type: z.string(),
    client_id: z.string().optional(),
    client_name: z.string().optional(),
  }),
  cnf: z.object({ 'x5t#S256': z.string() }).optional(),
  jwtid: z.string(),
  iat: z.int(),
  exp: z.int(),
}))
export type TokenClaims = z.infer<typeof TokenClaims>
