import * as z from 'zod'
import { FreeJson, Resource, Time } from '../../http/common-fields.ts'
import { extended } from '../../base/lazy-fields.ts'

export const CLIENT_STATES = ['active', 'revoked', 'expired'] as const

/** How a log-in identifies a client's certificate: by its fingerprint, or by the client's id in its subject. */
export const AUTHENTICATION_MODES = ['fingerprint', 'dn'] as const

/** A registered client in answers: a machine that logs in with a certificate. */
export const RegisteredClient = extended(Resource, () => ({
  name: z.string(),
  client_id: z.uuid().meta({ description: 'the id' }),
  client_type: z.string().optional(),
  state: z.enum(CLIENT_STATES),
  cert: z.string().meta({ description: 'PEM' }),
  ca_id: z.uuid().meta({ description: 'the local or external authority of its certificate' }),
  sha256_fingerprint: z.string(),
  not_before: Time,
  not_after: Time,
  profile_id: z.uuid().optional(),
  regtoken_id: z.uuid(),
  groups: z.array(z.string()),
  authentication_mode: z.enum(AUTHENTICATION_MODES),
  client_metadata: FreeJson.optional(),
  last_login: Time.optional(),
}))
export type RegisteredClient = z.infer<typeof RegisteredClient>
