import * as z from 'zod'
import { FreeJson, Name, Resource, UserId, Uuid } from '../../http/common-fields.ts'
import { anyPatterns, anyTexts, listQuery } from '../../http/lists/list-query.ts'
import { extended, object, strictObject } from '../../base/lazy-fields.ts'

export const Domain = extended(Resource, () => ({
  name: z.string(),
  parent_domain_id: z.string().optional(),
  admins: z.array(z.string()),
  allow_user_management: z.boolean(),
  parent_ca_id: z.string().optional(),
  kek_version: z.int(),
  meta: FreeJson.optional(),
}))
export type Domain = z.infer<typeof Domain>

export const DomainPath = z.strictObject({ id: Uuid })
export const DomainKeyPath = z.strictObject({ id: Uuid, kekID: Uuid })

/** Ours: maximum number of administrators, so that the creation of a domain fits into one transaction. */
const ADMINS_MOST = 10

export const CreateDomain = strictObject(() => ({
  name: Name,
  admins: z.array(UserId).min(1).max(ADMINS_MOST),
  allow_user_management: z
    .boolean()
    .default(false)
    .meta({ description: "whether the domain's own User Admins manage its users, beside those of the root domain" }),
  parent_ca_id: Uuid.optional().meta({
    description: "the local CA of the root domain that signs the domain's own; the oldest that is active without it",
  }),
  meta: FreeJson.optional(),
}))
export type CreateDomain = z.infer<typeof CreateDomain>

export const UpdateDomain = strictObject(() => ({
  name: Name.optional(),
  allow_user_management: z.boolean().optional(),
  meta: FreeJson.nullable().optional(),
}))
export type UpdateDomain = z.infer<typeof UpdateDomain>

export const DomainQuery = listQuery(Domain, () => ({
  ...anyPatterns('name'),
  ...anyTexts('id'),
}))
export type DomainQuery = z.infer<typeof DomainQuery>

/** A domain in answers to users who can log in to it. */
export const DomainName = object(() => ({ id: z.string(), name: z.string() }))
export type DomainName = z.infer<typeof DomainName>
export const DomainNameQuery = listQuery(DomainName, () => ({}))
export type DomainNameQuery = z.infer<typeof DomainNameQuery>
