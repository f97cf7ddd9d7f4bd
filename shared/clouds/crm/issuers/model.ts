import * as z from 'zod'
import { isGiven } from '../../../base/json.ts'
import { fetchedAddress, ISSUER } from '../../../endpoint/issuers/address.ts'
import { Name, Resource } from '../../../http/common-fields.ts'
import { anyPatterns, anyTexts, listQuery } from '../../../http/lists/list-query.ts'
import { atMostOne, withRules, type Rule } from '../../../http/rules.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { allowsLoopback } from '../loopback.ts'

const Address = fetchedAddress(allowsLoopback)
const Audience = z.string().min(1).max(1_024)
const Pem = z.string().min(1).max(16_384)

/** An identity provider whose tokens the cloud sends when it fetches a key. */
export const CrmIssuer = extended(Resource, () => ({
  name: z.string(),
  issuer: z.string().meta({ description: 'issuer of its tokens, character for character' }),
  jwks_uri: z.string().optional().meta({ description: 'address of its key set' }),
  openid_config_url: z.string().optional(),
  certificate: z.string().optional().meta({ description: 'PEM: its tokens are signed with the key of it' }),
  audience: z.string().optional().meta({ description: 'that tokens must be for; any without it' }),
  scope_required: z.boolean().meta({ description: 'whether tokens must have the scope keymgr_crm_cacheonly_key' }),
}))
export type CrmIssuer = z.infer<typeof CrmIssuer>

const fields = {
  issuer: ISSUER.optional(),
  jwks_uri: Address.optional(),
  openid_config_url: Address.optional().meta({ description: 'document that names issuer and jwks_uri; recommended' }),
  certificate: Pem.optional().meta({ description: 'PEM, in the place of jwks_uri' }),
}

/** The rules of an issuer, for a body and for a changed record. */
export const ISSUER_RULES: readonly Rule[] = [
  {
    message: 'openid_config_url, or issuer with jwks_uri or certificate, is required',
    field: 'openid_config_url',
    broken: ({ issuer, jwks_uri, certificate, openid_config_url: document }) =>
      !isGiven(document) && !(isGiven(issuer) && (isGiven(jwks_uri) || isGiven(certificate))),
  },
  atMostOne('openid_config_url', 'issuer'),
  atMostOne('openid_config_url', 'jwks_uri'),
  atMostOne('openid_config_url', 'certificate'),
  atMostOne('jwks_uri', 'certificate'),
]

export const CreateCrmIssuer = withRules(
  strictObject(() => ({
    name: Name,
    ...fields,
    audience: Audience.optional(),
    scope_required: z.boolean().default(true),
  })),
  ...ISSUER_RULES,
)
export type CreateCrmIssuer = z.infer<typeof CreateCrmIssuer>

/** Ours: a document, an address and a certificate replace each other. */
export const UpdateCrmIssuer = withRules(
  strictObject(() => ({
    name: Name.optional(),
    ...fields,
    audience: Audience.nullable().optional(),
    scope_required: z.boolean().optional(),
  })),
  atMostOne('openid_config_url', 'issuer'),
  atMostOne('openid_config_url', 'jwks_uri'),
  atMostOne('openid_config_url', 'certificate'),
  atMostOne('jwks_uri', 'certificate'),
)
export type UpdateCrmIssuer = z.infer<typeof UpdateCrmIssuer>

export const CrmIssuerQuery = listQuery(CrmIssuer, () => ({ ...anyPatterns('name'), ...anyTexts('id', 'issuer') }))
