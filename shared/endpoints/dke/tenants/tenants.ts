import { notThere, Refusal } from '../../../base/errors.ts'
import { patched, picked, without } from '../../../base/fields.ts'
import { commonFields, resourceUri, uuid } from '../../../base/ids.ts'
import type { Context } from '../../../http/context.ts'
import { listed, type ResourceList } from '../../../resource/listed.ts'
import { openFor, sealFor } from '../../../keyring/domain-key.ts'
import type { ManagedKind } from '../../../resource/kinds.ts'
import { changeRecord, getRecord, removeRecord, stageNew } from '../../../resource/records.ts'
import type { Stored } from '../../../store/entity.ts'
import { rolesNamed, type Role } from '../directory.ts'
import { readsRolesIn } from '../store.ts'
import type { AuthTenant, AuthTenantQuery, CreateAuthTenant, FindRoles, UpdateAuthTenant } from './model.ts'
import { applicationName, secretPurpose } from './secret-purpose.ts'
import { authTenants, type StoredAuthTenant } from './store.ts'

const tenants: ManagedKind<StoredAuthTenant, ReturnType<typeof authTenants.row>, AuthTenant> = {
  noun: 'DKE tenant',
  entity: authTenants,
  pointers: { tenant: '#/tenant_id' },
  present: ({ item, rev }) => ({ item: without(item, 'sealed', 'secret_set_at'), rev }),
  audited: (tenant) => picked(tenant, 'name', 'tenant_id', 'client_id', 'issuer', 'secret_set_at'),
}

async function sealedSecret({ caller, now }: Context, id: string, secret: string) {
  const clear = Buffer.from(secret)
  try {
    return { sealed: await sealFor(caller.domain.id, secretPurpose(id), clear), secret_set_at: now.toISOString() }
  } finally {
    clear.fill(0)
  }
}

/** @param field of a body that would change the tenant @throws Refusal IN_USE while an endpoint looks roles up in the tenant */
async function assertUnused(context: Context, tenantId: string, field?: string): Promise<void> {
  const user = await readsRolesIn(context.caller.domain.id, tenantId)
  if (user === undefined) return
  const errors = field === undefined ? [] : [{ pointer: `#/${field}`, detail: 'must stay while it is used' }]
  throw new Refusal('IN_USE', `The DKE endpoint ${user} looks up roles of its readers in this tenant.`, { errors })
}

export const listTenants = (context: Context, query: AuthTenantQuery): Promise<ResourceList<AuthTenant>> =>
  listed(authTenants, context.caller.domain.id, query, {
    served: 'all',
    filters: { id: query.id, tenant_id: query.tenant_id, client_id: query.client_id },
    patterns: { name: query.name },
    present: (stored) => tenants.present(stored).item,
  })

/** @throws Refusal NOT_FOUND */
export const getTenant = (context: Context, id: string): Promise<Stored<AuthTenant>> => getRecord(tenants, context, id)

/** Ours: a domain keeps one application for a tenant. @throws Refusal NAME_TAKEN for the name or the tenant */
export async function createTenant(
  context: Context,
  { client_secret: secret, ...fields }: CreateAuthTenant,
): Promise<Stored<AuthTenant>> {
  const { caller, now } = context
  const domain = caller.domain.id
  const id = uuid(now)
  const uri = resourceUri(domain, 'keymgr', 'dke-tenant', id)
  const common = without(commonFields(domain, id, uri, now), 'application')
  return stageNew(tenants, context, { ...common, ...fields, ...(await sealedSecret(context, id, secret)) })
}

/** Changes the fields of the body. @throws Refusal NOT_FOUND, VERSION_STALE, NAME_TAKEN, IN_USE for another tenant */
export const updateTenant = (
  context: Context,
  id: string,
  { client_secret: secret, ...fields }: UpdateAuthTenant,
): Promise<Stored<AuthTenant>> =>
  changeRecord(tenants, context, id, async (tenant) => {
    const { tenant_id: next = tenant.tenant_id } = fields
    if (next !== tenant.tenant_id) await assertUnused(context, tenant.tenant_id, 'tenant_id')
    return { ...patched(tenant, fields), ...(secret !== undefined && (await sealedSecret(context, id, secret))) }
  })

/**
 * Groups and directory roles of a tenant, by the beginning of their names.
 * @throws Refusal NOT_FOUND; UNAVAILABLE, CLOUD_DENIED by the directory
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

/** @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE */
export async function deleteTenant(context: Context, id: string): Promise<void> {
  await removeRecord(tenants, context, id, ({ tenant_id }) => assertUnused(context, tenant_id))
}
