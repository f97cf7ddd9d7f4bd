import * as z from 'zod'
import { FreeJson, Name, Resource } from '../../../http/common-fields.ts'
import { anyPatterns, anyTexts, listQuery } from '../../../http/list-query.ts'
import { atMostOne, requires, withRules, type Rule } from '../../../http/rules.ts'
import { FetchedAddress, ISSUER } from '../addresses.ts'

/** An identity provider, as shown. It is immutable. */
export const KaclsIssuer = Resource.extend({
  name: z.string(),
  iss: z.string().meta({ description: 'issuer of its tokens, character for character' }),
  jwksURL: z.string().meta({ description: 'address of its key set' }),
  openidConfigurationURL: z.string().optional(),
  meta: FreeJson.optional(),
})
export type KaclsIssuer = z.infer<typeof KaclsIssuer>

const oneWay: Rule = {
  message: 'iss and jwksURL, or openidConfigurationURL, are required',
  field: 'iss',
  broken: ({ iss, jwksURL, openidConfigurationURL: document }) =>
    iss === undefined && jwksURL === undefined && document === undefined,
}

export const CreateKaclsIssuer = withRules(
  z.strictObject({
    name: Name,
    iss: ISSUER.optional(),
    jwksURL: FetchedAddress.optional(),
    openidConfigurationURL: FetchedAddress.optional().meta({
      description: 'address of the document that names iss and jwksURL (OpenID Connect Discovery, RFC 8414)',
    }),
    meta: FreeJson.optional(),
    dryRun: z.boolean().default(false).meta({ description: 'checks the provider, and stores nothing' }),
  }),
  oneWay,
  requires('iss', 'jwksURL'),
  requires('jwksURL', 'iss'),
  atMostOne('iss', 'openidConfigurationURL'),
  atMostOne('jwksURL', 'openidConfigurationURL'),
)
export type CreateKaclsIssuer = z.infer<typeof CreateKaclsIssuer>

const FoundKey = z.object({
  kid: z.string().optional(),
  alg: z.string().optional(),
  kty: z.string().optional(),
  usable: z.boolean().meta({ description: 'whether tokens that it signs can be verified here' }),
})
export type FoundKey = z.infer<typeof FoundKey>

/** An identity provider as it was found, for a dry run. */
export const FoundIssuer = z.object({
  iss: z.string(),
  jwksURL: z.string(),
  openidConfigurationURL: z.string().optional(),
  keys: z.array(FoundKey),
  usable_keys: z.int(),
})
export type FoundIssuer = z.infer<typeof FoundIssuer>

export const KaclsIssuerQuery = listQuery(KaclsIssuer, {
  ...anyPatterns('name'),
  ...anyTexts('id', 'iss'),
})
export type KaclsIssuerQuery = z.infer<typeof KaclsIssuerQuery>
