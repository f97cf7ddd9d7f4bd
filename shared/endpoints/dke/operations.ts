import type { Route } from '../../http/operation.ts'
import { lookUp, routesOn } from '../../resource/routes.ts'
import { deleteEndpoint, rotateEndpoint, states, updateEndpoint } from './change-endpoint.ts'
import { createEndpoint } from './create-endpoint.ts'
import { getEndpoint, listEndpoints } from './list-endpoints.ts'
import { CreateDkeEndpoint, DkeEndpoint, DkeEndpointQuery, JoinRotation, UpdateDkeEndpoint } from './model.ts'
import { disableRotation, enableRotation } from './rotation-job.ts'
import { AuthTenant, AuthTenantQuery, CreateAuthTenant, FindRoles, Roles, UpdateAuthTenant } from './tenants/model.ts'
import { createTenant, deleteTenant, findRoles, getTenant, listTenants, updateTenant } from './tenants/tenants.ts'

const may = 'keymgr-admins'
const AT = '/v1/keymgr/docsuite/dke'
const on = routesOn({ at: `${AT}/endpoints`, answers: DkeEndpoint, reads: may, changes: may })
const onTenants = routesOn({ at: `${AT}/auth-tenants`, answers: AuthTenant, reads: may, changes: may })

/** Addresses through which documents of the document suite are encrypted with keys that stay here. */
const endpoints: readonly Route[] = [
  on.list('List DKE Endpoints', DkeEndpointQuery, listEndpoints),
  on.create('Create DKE Endpoint', CreateDkeEndpoint, createEndpoint), // over an existing local key, or over a new one
  on.get('Get DKE Endpoint', getEndpoint),
  on.update('Update DKE Endpoint', UpdateDkeEndpoint, updateEndpoint),
  on.remove('Delete DKE Endpoint', deleteEndpoint), // the local key stays
  on.act('enable', 'Enable DKE Endpoint', states.enable),
  on.act('disable', 'Disable DKE Endpoint', states.disable), // within five seconds every instance refuses
  on.act('rotate', 'Rotate DKE Endpoint', rotateEndpoint),
  on.act('archive', 'Archive DKE Endpoint', states.archive),
  on.act('recover', 'Recover DKE Endpoint', states.recover), // to a disabled one
  on.act('enable-key-rotation-job', 'Enable DKE Endpoint Rotation Job', enableRotation, JoinRotation),
  on.act('disable-key-rotation-job', 'Disable DKE Endpoint Rotation Job', disableRotation), // of an archived one too
]

/** Tenants in whose directories the roles of readers are looked up. */
const tenants: readonly Route[] = [
  onTenants.list('List DKE Tenants', AuthTenantQuery, listTenants),
  onTenants.create('Create DKE Tenant', CreateAuthTenant, createTenant),
  onTenants.get('Get DKE Tenant', getTenant),
  onTenants.update('Update DKE Tenant', UpdateAuthTenant, updateTenant),
  onTenants.remove('Delete DKE Tenant', deleteTenant),
]

export const routes: readonly Route[] = [
  ...endpoints,
  ...tenants,
  lookUp(`${AT}/get-roles`, 'Get DKE Roles', may, FindRoles, Roles, findRoles), // that endpoints may let in
]
