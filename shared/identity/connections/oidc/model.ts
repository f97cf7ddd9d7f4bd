import * as z from 'zod'
import { object, strictObject } from '../../../base/lazy-fields.ts'
import { faultOfIssuer, faultOfRedirect } from './address.ts'

const ADDRESS_CHARACTERS = 1_024

const addressWith = (faultOf: (text: string) => string | undefined) =>
  z
    .string()
    .min(1)
    .max(ADDRESS_CHARACTERS)
    .superRefine((text, context) => {
      const message = faultOf(text)
      if (message !== undefined) context.addIssue({ code: 'custom', message, input: text })
    })

const Issuer = addressWith(faultOfIssuer)
const RedirectUris = z.array(addressWith(faultOfRedirect)).max(20)
const Claim = z.string().min(1).max(255)
const ClientId = z.string().min(1).max(255)
const ClientSecret = z.string().min(1).max(1_024).meta({ writeOnly: true })
/** @see RFC 6749 §3.3 */
const Scopes = z
  .string()
  .max(1_024)
  .regex(/^[!#-[\]-~]+( [!#-[\]-~]+)*$/, { error: 'must be names of scopes with one space between them' })
  .refine((scopes) => scopes.split(' ').includes('openid'), { error: 'must have openid among them' })

const required = { issuer: Issuer, client_id: ClientId }
const chosen = { redirect_uris: RedirectUris, scopes: Scopes, username_claim: Claim, groups_claim: Claim }

/** An identity provider in a request. Redirects to loopback accept any port there (RFC 8252 §7.3). */
export const OidcGiven = strictObject(() => ({
  ...required,
  redirect_uris: RedirectUris.default([]),
  scopes: Scopes.default('openid profile email'),
  username_claim: Claim.default('preferred_username'),
  groups_claim: Claim.default('groups'),
  client_secret: ClientSecret.optional(),
}))

/** An identity provider in answers and records, without the client's secret, which is encrypted separately. */
export const OidcShown = object(() => ({
  issuer: z.string(),
  client_id: z.string(),
  redirect_uris: z.array(z.string()),
  scopes: z.string(),
  username_claim: z.string(),
  groups_claim: z.string(),
}))
export type Oidc = z.infer<typeof OidcShown>

/** Changes of an identity provider: absent fields are unchanged, `null` removes the secret. */
export const OidcChanged = strictObject(() => ({
  ...z.strictObject({ ...required, ...chosen }).partial().shape,
  client_secret: ClientSecret.nullable().optional(),
}))
