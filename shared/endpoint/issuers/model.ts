import * as z from 'zod'
import { FreeJson, Name, Resource } from '../../http/common-fields.ts'
import { anyPatterns, anyTexts, listQuery } from '../../http/lists/list-query.ts'
import { atMostOne, requires, type Rule } from '../../http/rules.ts'
import { extended, object } from '../../base/lazy-fields.ts'
import { fetchedAddress, ISSUER, type AllowsLoopback } from './address.ts'

/** An identity provider, as shown. The facts that verify its tokens are immutable. */
export const Issuer = extended(Resource, () => ({
  name: z.string(),
  iss: z.string().meta({ description: 'issuer of its tokens, character for character' }),
  jwksURL: z.string().meta({ description: 'address of its key set' }),
  openidConfigurationURL: z.string().optional(),
  meta: FreeJson.optional(),
}))
export type Issuer = z.infer<typeof Issuer>

const oneWay: Rule = {
  message: 'iss and jwksURL, or openidConfigurationURL, are required',
  field: 'iss',
  broken: ({ iss, jwksURL, openidConfigurationURL: document }) =>
    iss === undefined && jwksURL === undefined && document === undefined,
}

/** Fields of the body that creates an issuer. */
export const newIssuerFields = (allowsLoopback: AllowsLoopback) => ({
  name: Name,
  iss: ISSUER.optional(),
  jwksURL: fetchedAddress(allowsLoopback).optional(),
  openidConfigurationURL: fetchedAddress(allowsLoopback).optional().meta({
    description: 'address of the document that names iss and jwksURL (OpenID Connect Discovery, RFC 8414)',
  }),
  meta: FreeJson.optional(),
})

/** Rules between them. */
export const NEW_ISSUER_RULES: readonly Rule[] = [
  oneWay,
  requires('iss', 'jwksURL'),
  requires('jwksURL', 'iss'),
  atMostOne('iss', 'openidConfigurationURL'),
  atMostOne('jwksURL', 'openidConfigurationURL'),
]

export type NewIssuer = z.infer<z.ZodObject<ReturnType<typeof newIssuerFields>>>

const FoundKey = object(() => ({
  kid: z.string().optional(),
  alg: z.string().optional(),
  kty: z.string().optional(),
  usable: z.boolean().meta({ description: 'whether tokens that it signs can be verified here' }),
}))
export type FoundKey = z.infer<typeof FoundKey>

/** An identity provider as it was found, for a dry run. */
export const FoundIssuer = object(() => ({
  iss: z.string(),
  jwksURL: z.string(),
  openidConfigurationURL: z.string().optional(),
  keys: z.array(FoundKey),
  usable_keys: z.int(),
}))
export type FoundIssuer = z.infer<typeof FoundIssuer>

export const ISSUER_FILTERS = { ...anyPatterns('name'), ...anyTexts('id', 'iss') }

export const IssuerQuery = listQuery(Issuer, () => ISSUER_FILTERS)
export type IssuerQuery = z.infer<typeof IssuerQuery>
