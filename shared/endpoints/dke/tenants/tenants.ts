import { notThere, Refusal } from '../../../base/errors.ts'
import { patched, without } from '../../../base/fields.ts'
import { resourceUri } from '../../../base/ids.ts'
import type { Context } from '../../../http/context.ts'
import { openFor, sealFor } from '../../../keyring/domain-key.ts'
import { resource } from '../../../resource/resource.ts'
import { rolesNamed, type Role } from '../directory.ts'
import { readsRolesIn } from '../store.ts'
import { AuthTenant, AuthTenantQuery, CreateAuthTenant, UpdateAuthTenant, type FindRoles } from './model.ts'
import { applicationName, secretPurpose } from './secret-purpose.ts'
import { authTenants } from './store.ts'

async function sealedSecret({ caller, now }: Context, id: string, secret: string) {
  const clear = Buffer.from(secret)
  try {
    return { sealed: await sealFor(caller.domain.id, secretPurpose(id), clear), secret_set_at: now.toISOString() }
  } finally {
    clear.fill(0)
  }
}

/**
 * @param field of a body that would change the tenant @throws Refusal IN_USE while an endpoint looks up roles in the
 * tenant
 */
async function assertUnused(context: Context, tenantId: string, field?: string): Promise<void> {
  const user = await readsRolesIn(context.caller.domain.id, tenantId)
  if (user === undefined) return
  const errors = field === undefined ? [] : [{ pointer: `#/${field}`, detail: 'must stay while it is used' }]
  throw new Refusal('IN_USE', `The DKE endpoint ${user} looks up roles of its readers in this tenant.`, { errors })
}

/** Tenants in whose directories the roles of readers are looked up. Ours: a domain has one application per tenant. */
export const tenants = resource({
  entity: authTenants,
  noun: 'DKE tenant',
  title: 'DKE Tenant',
  at: '/v1/keymgr/docsuite/dke/auth-tenants',
  reads: 'keymgr-admins',
  changes: 'keymgr-admins',
  answers: AuthTenant,
  query: AuthTenantQuery,
  createBody: CreateAuthTenant,
  updateBody: UpdateAuthTenant,
  uri: (domain, id) => resourceUri(domain, 'keymgr', 'dke-tenant', id),
  pointers: { tenant: '#/tenant_id' },
  present: (tenant) => without(tenant, 'sealed', 'secret_set_at'),
  audited: ['name', 'tenant_id', 'client_id', 'issuer', 'secret_set_at'],
  make: async (context, { client_secret: secret, ...fields }, common) => ({
    ...common,
    ...fields,
    ...(await sealedSecret(context, common.id, secret)),
  }),
  next: async (context, tenant, { client_secret: secret, ...fields }) => {
    const { tenant_id: next = tenant.tenant_id } = fields
    if (next !== tenant.tenant_id) await assertUnused(context, tenant.tenant_id, 'tenant_id')
    return { ...patched(tenant, fields), ...(secret !== undefined && (await sealedSecret(context, tenant.id, secret))) }
  },
  release: (context, { tenant_id }) => assertUnused(context, tenant_id),
})

/**
 * Groups and directory roles of a tenant, by the beginning of their names.
 * @throws Refusal NOT_FOUND; UNAVAILABLE, CLOUD_DENIED from the directory
 */
export async function findRoles(
  { caller }: Context,
  { auth_tenant: id, filter }: FindRoles,
): Promise<{ roles: readonly Role[] }> {
  const domain = caller.domain.id
  const stored = await authTenants.get(domain, id)
  if (stored === undefined)
    throw notThere('There is no such DKE tenant.', { pointer: '#/auth_tenant', detail: 'is not there' })
  const { item } = stored
  const clientSecret = async () => {
    const bytes = await openFor(domain, secretPurpose(id), item.sealed)
    const secret = bytes.toString('utf8')
    bytes.fill(0)
    return secret
  }
  const application = { name: applicationName(item), tenant: item.tenant_id, clientId: item.client_id, clientSecret }
  return { roles: await rolesNamed(application, filter) }
}
