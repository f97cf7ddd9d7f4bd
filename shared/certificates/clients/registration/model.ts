import * as z from 'zod'
import { FreeJson, Name } from '../../../http/common-fields.ts'
import { atMostOne, withRules } from '../../../http/rules.ts'
import { RegisteredClient } from '../../../identity/clients/model.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { Pem } from '../../facts.ts'

const TOKEN_MOST = 1_024

/** Attributes of a subject that can contain an id. @see RFC 4514 §3 */
const DN_FIELDS = ['UID', 'CN', 'serialNumber', 'L', 'ST', 'STREET', 'O', 'OU', 'DC'] as const

/** The client's certificate, or its certificate request; without either, the service creates the key pair. */
const broughtFields = {
  csr: Pem.optional().meta({ description: 'PEM of a request, which a local CA signs' }),
  ext_cert: Pem.optional().meta({ description: 'PEM of a certificate of an external CA' }),
}
export interface Brought {
  readonly csr?: string | undefined
  readonly ext_cert?: string | undefined
}

export const RegisterClient = withRules(
  strictObject(() => ({
    registration_token: z.string().min(1).max(TOKEN_MOST),
    name: Name.optional().meta({ description: 'client-<id> without it, unless the token numbers its clients' }),
    ...broughtFields,
    subject_dn_field_to_modify: z
      .enum(DN_FIELDS)
      .default('UID')
      .meta({ description: 'gets the id of the client, as UID always does' }),
    do_not_modify_subject_dn: z.boolean().default(false),
    client_type: Name.optional(),
    client_metadata: FreeJson.optional(),
  })),
  atMostOne('csr', 'ext_cert'),
)
export type RegisterClient = z.infer<typeof RegisterClient>

export const RenewClient = withRules(z.strictObject(broughtFields), atMostOne('csr', 'ext_cert'))

/** A client with the key that the service created for it. */
export const CertifiedClient = extended(RegisteredClient, () => ({
  key: z.string().optional().meta({ description: 'PEM of the private key, in PKCS #8; shown once' }),
}))
export type CertifiedClient = z.infer<typeof CertifiedClient>
