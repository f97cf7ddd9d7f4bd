import { patched } from '../../base/fields.ts'
import type { Route } from '../../http/operation.ts'
import { assertNotArchived } from '../../endpoint/states.ts'
import { resource } from '../../resource/resource.ts'
import { lookUp } from '../../resource/routes.ts'
import { forgetEndpoint } from '../../store/owner.ts'
import { rotateEndpoint, states } from './change-endpoint.ts'
import { newEndpoint } from './create-endpoint.ts'
import { CreateDkeEndpoint, DkeEndpoint, DkeEndpointQuery, JoinRotation, UpdateDkeEndpoint } from './model.ts'
import { dkeEndpointKind } from './records.ts'
import { disableRotation, enableRotation } from './rotation-job.ts'
import { DKE_OWNER } from './store.ts'
import { FindRoles, Roles } from './tenants/model.ts'
import { findRoles, tenants } from './tenants/tenants.ts'

const may = 'keymgr-admins'
const AT = '/v1/keymgr/docsuite/dke'

/** Addresses through which documents of the document suite are encrypted with keys that stay here. */
const endpoints = resource({
  ...dkeEndpointKind,
  title: 'DKE Endpoint',
  at: `${AT}/endpoints`,
  reads: may,
  changes: may,
  answers: DkeEndpoint,
  query: DkeEndpointQuery,
  createBody: CreateDkeEndpoint,
  updateBody: UpdateDkeEndpoint,
  patterns: ['name', 'kek_name'],
  make: newEndpoint,
  // `key_uri` changes with the host.
  next: (_context, endpoint, body) => {
    assertNotArchived(dkeEndpointKind, endpoint)
    return patched(endpoint, body)
  },
  // Its address becomes unknown; the local key stays.
  release: ({ changes }, { id }) => forgetEndpoint(changes, DKE_OWNER, id),
})

const { on } = endpoints
const acts: readonly Route[] = [
  on.act('enable', 'Enable DKE Endpoint', states.enable),
  on.act('disable', 'Disable DKE Endpoint', states.disable), // within five seconds every instance refuses
  on.act('rotate', 'Rotate DKE Endpoint', rotateEndpoint),
  on.act('archive', 'Archive DKE Endpoint', states.archive),
  on.act('recover', 'Recover DKE Endpoint', states.recover), // disabled afterwards
  on.act('enable-key-rotation-job', 'Enable DKE Endpoint Rotation Job', enableRotation, JoinRotation),
  // Also for an archived endpoint.
  on.act('disable-key-rotation-job', 'Disable DKE Endpoint Rotation Job', disableRotation),
]

export const routes: readonly Route[] = [
  ...endpoints.routes,
  ...acts,
  ...tenants.routes,
  lookUp(`${AT}/get-roles`, 'Get DKE Roles', may, FindRoles, Roles, findRoles), // roles that endpoints can admit
]
