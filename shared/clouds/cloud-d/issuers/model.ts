import * as z from 'zod'
import { isGiven } from '../../../base/json.ts'
import { fetchedAddress, ISSUER } from '../../../endpoint/issuers/address.ts'
import { Name, Resource } from '../../../http/common-fields.ts'
import { anyPatterns, anyTexts, listQuery } from '../../../http/lists/list-query.ts'
import { atMostOne, requires, withRules, type Rule } from '../../../http/rules.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { allowsLoopback } from './loopback.ts'

const Address = fetchedAddress(allowsLoopback)

/** An identity provider that issues tokens for the cloud's calls to external vaults. */
export const CloudDIssuer = extended(Resource, () => ({
  name: z.string(),
  jwks_uri_protected: z.boolean().meta({ description: 'whether reading the key set requires a token of the provider' }),
  openid_config_url: z.string().optional(),
  issuer: z.string().meta({ description: 'issuer of its tokens, character for character' }),
  jwks_uri: z.string().meta({ description: 'address of its key set' }),
}))
export type CloudDIssuer = z.infer<typeof CloudDIssuer>

const ClientId = z.string().min(1).max(255)
const ClientSecret = z.string().min(1).max(1_024).meta({ writeOnly: true })
const fields = {
  client_id: ClientId.optional(),
  client_secret: ClientSecret.optional(),
  issuer: ISSUER.optional(),
  jwks_uri: Address.optional(),
  openid_config_url: Address.optional().meta({ description: 'document that names issuer and jwks_uri; recommended' }),
}

/** The rules of an issuer, for a body and for a changed record. */
export const ISSUER_RULES: readonly Rule[] = [
  {
    message: 'issuer and jwks_uri, or openid_config_url, are required',
    field: 'openid_config_url',
    broken: ({ issuer, jwks_uri, openid_config_url: document }) =>
      !isGiven(issuer) && !isGiven(jwks_uri) && !isGiven(document),
  },
  requires('issuer', 'jwks_uri'),
  requires('jwks_uri', 'issuer'),
  atMostOne('openid_config_url', 'issuer'),
  atMostOne('openid_config_url', 'jwks_uri'),
  ...['client_id', 'client_secret', 'openid_config_url'].map((field): Rule => ({
    message: `${field} is required when jwks_uri_protected is true`,
    field,
    broken: (body) => body.jwks_uri_protected === true && !isGiven(body[field]),
  })),
]

export const CreateCloudDIssuer = withRules(
  strictObject(() => ({ name: Name, jwks_uri_protected: z.boolean().default(false), ...fields })),
  ...ISSUER_RULES,
)
export type CreateCloudDIssuer = z.infer<typeof CreateCloudDIssuer>

/** Ours: a document replaces the two fields that it contains, and they replace it. */
export const UpdateCloudDIssuer = withRules(
  strictObject(() => ({ name: Name.optional(), jwks_uri_protected: z.boolean().optional(), ...fields })),
  atMostOne('openid_config_url', 'issuer'),
  atMostOne('openid_config_url', 'jwks_uri'),
)
export type UpdateCloudDIssuer = z.infer<typeof UpdateCloudDIssuer>

export const CloudDIssuerQuery = listQuery(CloudDIssuer, () => ({
  ...anyPatterns('name'),
  ...anyTexts('id', 'issuer'),
}))
