import * as z from 'zod'
import { Name, Resource } from '../../http/common-fields.ts'
import { anyPatterns, listQuery } from '../../http/lists/list-query.ts'
import { extended, object } from '../../base/lazy-fields.ts'

/** A credential of the platform, as shown. */
export const PlatformCredential = extended(Resource, () => ({
  name: z.string(),
  client_id: z.string(),
  created_by: z.string().meta({ description: 'name of the user who created it' }),
}))
export type PlatformCredential = z.infer<typeof PlatformCredential>

/** The only answer that shows the secret. */
export const NewPlatformCredential = extended(PlatformCredential, () => ({ client_secret: z.string() }))
export type NewPlatformCredential = z.infer<typeof NewPlatformCredential>

export const CreatePlatformCredential = z.strictObject({ name: Name })
export type CreatePlatformCredential = z.infer<typeof CreatePlatformCredential>

export const PlatformCredentialQuery = listQuery(PlatformCredential, () => anyPatterns('name'))

/** Body of a request for a token: a form. Unknown fields are ignored. @see RFC 6749 §3.2, §4.4.2 */
export const TokenRequest = object(() => ({
  grant_type: z.string().meta({ description: 'client_credentials' }),
  client_id: z.string(),
  client_secret: z.string(),
}))
export type TokenRequest = z.infer<typeof TokenRequest>

/** @see RFC 6749 §5.2 */
export const TokenError = object(() => ({
  error: z.enum(['invalid_request', 'invalid_client', 'unsupported_grant_type']),
  error_description: z.string(),
}))

/** @see RFC 6749 §5.1 */
export const PlatformToken = object(() => ({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int().meta({ description: 'seconds' }),
}))
export type PlatformToken = z.infer<typeof PlatformToken>
