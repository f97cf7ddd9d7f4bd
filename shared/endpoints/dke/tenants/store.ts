import * as z from 'zod'
import { sealingFieldAgain } from '../../../keyring/sealed-kinds.ts'
import { entity } from '../../../store/entity.ts'
import { extended } from '../../../base/lazy-fields.ts'
import { AuthTenant } from './model.ts'
import { secretPurpose } from './secret-purpose.ts'

const StoredAuthTenant = extended(AuthTenant, () => ({
  /** the client secret as UTF-8, sealed under the domain's key */
  sealed: z.string(),
  /** when the present secret was set */
  secret_set_at: z.string(),
}))
export type StoredAuthTenant = z.infer<typeof StoredAuthTenant>

/** Reads served: a tenant's record by its id; by name; by the id of the tenant; all. */
export const authTenants = entity({
  name: 'dke-tenant',
  schema: StoredAuthTenant,
  id: ({ id }) => id,
  unique: ({ name, tenant_id }) => ({ name: [name], tenant: [tenant_id] }),
  sets: () => ['all'],
  row: ({ id, name, tenant_id, client_id, issuer, createdAt, updatedAt }) => ({
    id,
    name,
    tenant_id,
    client_id,
    issuer,
    createdAt,
    updatedAt,
  }),
})

export const sealedAuthTenants = sealingFieldAgain(authTenants, 'all', ({ id }) => secretPurpose(id))
