import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'
import { object } from '../../base/lazy-fields.ts'

const PublicJwk = object(() => ({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  kid: z.string(),
  alg: z.literal('ES256'),
  use: z.literal('sig'),
}))
export type PublicJwk = z.infer<typeof PublicJwk>
export const JwkSet = object(() => ({ keys: z.array(PublicJwk) }))
export const AuthKey = PublicJwk.extend({ createdAt: Time })
