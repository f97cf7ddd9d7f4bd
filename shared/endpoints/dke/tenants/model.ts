import * as z from 'zod'
import { Secret } from '../../../cloud/connections/bodies.ts'
import { Guid, Name, Resource, Uuid } from '../../../http/common-fields.ts'
import { anyPatterns, anyTexts, listQuery } from '../../../http/lists/list-query.ts'
import { requires, withRules } from '../../../http/rules.ts'
import { extended, object, strictObject } from '../../../base/lazy-fields.ts'
import { Issuer } from '../model.ts'

/** A tenant and the application that reads its directory, as shown: without the application's secret. */
export const AuthTenant = extended(Resource, () => ({
  name: z.string(),
  tenant_id: z.string(),
  client_id: z.string().meta({ description: 'the application that may read the directory of the tenant' }),
  issuer: z.string().optional(),
}))
export type AuthTenant = z.infer<typeof AuthTenant>

export const CreateAuthTenant = strictObject(() => ({
  name: Name,
  tenant_id: Guid,
  client_id: Guid,
  client_secret: Secret,
  issuer: Issuer.optional(),
}))
export type CreateAuthTenant = z.infer<typeof CreateAuthTenant>

/** Ours: a secret is never sent to another tenant, or for another application, than the one it was entered for. */
export const UpdateAuthTenant = withRules(
  strictObject(() => ({
    name: Name.optional(),
    tenant_id: Guid.optional(),
    client_id: Guid.optional(),
    client_secret: Secret.optional(),
    issuer: Issuer.nullable().optional(),
  })),
  requires('tenant_id', 'client_secret'),
  requires('client_id', 'client_secret'),
)
export type UpdateAuthTenant = z.infer<typeof UpdateAuthTenant>

export const AuthTenantQuery = listQuery(AuthTenant, () => ({
  ...anyPatterns('name'),
  ...anyTexts('id', 'tenant_id', 'client_id'),
}))
export type AuthTenantQuery = z.infer<typeof AuthTenantQuery>

export const FindRoles = strictObject(() => ({
  auth_tenant: Uuid.meta({ description: 'id of the record of the tenant' }),
  filter: Name.optional().meta({ description: 'the beginning of the names, in any case' }),
}))
export type FindRoles = z.infer<typeof FindRoles>

export const Roles = object(() => ({
  roles: z.array(z.object({ id: z.string(), name: z.string() })).readonly(),
}))
