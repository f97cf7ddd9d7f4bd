import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'

const PublicJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  kid: z.string(),
  alg: z.literal('ES256'),
  use: z.literal('sig'),
})
export type PublicJwk = z.infer<typeof PublicJwk>
export const JwkSet = z.object({ keys: z.array(PublicJwk) })
export const AuthKey = PublicJwk.extend({ createdAt: Time })
