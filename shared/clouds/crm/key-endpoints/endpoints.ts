import { notThere, ruleBroken } from '../../../base/errors.ts'
import { defined, without } from '../../../base/fields.ts'
import { findContainer } from '../../../cloud/containers/find-container.ts'
import { hashPassword } from '../../../crypto/passwords.ts'
import type { Context } from '../../../http/context.ts'
import { resource } from '../../../resource/resource.ts'
import { forgetEndpoint, leadToEndpoint } from '../../../store/owner.ts'
import { crmIssuers } from '../issuers/store.ts'
import { organizationKind } from '../organizations/kind.ts'
import { crmOrganizations } from '../organizations/store.ts'
import { uriOfEndpoint, urlOf } from './identifiers.ts'
import {
  CreateCrmEndpoint,
  CrmEndpoint,
  CrmEndpointQuery,
  UpdateCrmEndpoint,
  type CrmEndpoint as Shown,
  type PasswordAuthentication,
} from './model.ts'
import { CRM_OWNER, crmEndpoints, type StoredCrmEndpoint } from './store.ts'

const present = ({ password, ...endpoint }: StoredCrmEndpoint): Shown => ({
  ...without(endpoint, 'crm_organization_id'),
  url: urlOf(endpoint),
  ...(password && { password_authentication: { username: password.username } }),
})

/** The hash of a body's password, made once per request. */
const hashed = async (
  { once }: Context,
  { username, password }: PasswordAuthentication,
): Promise<StoredCrmEndpoint['password']> => ({
  username,
  hash: await once('hash of the password of a key endpoint', () => hashPassword(password)),
})

/** Stages that the issuer is not deleted at the same time. @throws Refusal NOT_FOUND */
async function useIssuer({ caller, changes }: Context, id: string): Promise<void> {
  const domain = caller.domain.id
  const stored = await crmIssuers.get(domain, id)
  if (stored === undefined)
    throw notThere('There is no such issuer.', { pointer: '#/issuer_id', detail: 'is no issuer of this domain' })
  changes.update(crmIssuers, domain, stored, stored.item)
}

/** Key endpoints: addresses at which the cloud fetches cache-only keys. */
export const endpoints = resource({
  entity: crmEndpoints,
  noun: 'key endpoint',
  title: 'Crm Key Endpoint',
  at: '/v1/keymgr/crm/endpoints',
  reads: 'keymgr-admins',
  changes: 'keymgr-admins',
  answers: CrmEndpoint,
  query: CrmEndpointQuery,
  createBody: CreateCrmEndpoint,
  updateBody: UpdateCrmEndpoint,
  patterns: ['name', 'organization_name'],
  uri: uriOfEndpoint,
  audited: ({ name, url_hostname, organization_name, issuer_id, password }) => ({
    ...{ name, url_hostname, organization_name, issuer_id, username: password?.username },
  }),
  sealed: { field: 'password', as: 'password' },
  present,
  make: async (context, body, common): Promise<StoredCrmEndpoint> => {
    const { changes, caller } = context
    const { password_authentication, issuer_id, organization_id, ...fields } = body
    const field = { pointer: '#/organization_id', detail: 'is no organization of this domain' }
    const stored = await findContainer(organizationKind, context, organization_id, field)
    // A concurrent removal of the organization conflicts with this write, runs again, and finds the endpoint.
    changes.update(crmOrganizations, caller.domain.id, stored, stored.item)
    if (issuer_id !== undefined) await useIssuer(context, issuer_id)
    const password = password_authentication && (await hashed(context, password_authentication))
    leadToEndpoint(changes, CRM_OWNER, caller.domain.id, common.id)
    return {
      ...common,
      ...fields,
      organization_id: stored.item.id,
      organization_name: stored.item.name,
      crm_organization_id: stored.item.organization_id,
      ...defined({ issuer_id, password }),
    }
  },
  next: async (context, endpoint, body): Promise<StoredCrmEndpoint> => {
    const { password_authentication, issuer_id, url_hostname = endpoint.url_hostname } = body
    if (issuer_id !== undefined && endpoint.issuer_id === undefined)
      throw ruleBroken('issuer_id', 'is changed only for an endpoint with OAuth 2')
    if (password_authentication !== undefined && endpoint.password === undefined)
      throw ruleBroken('password_authentication', 'is changed only for an endpoint with a password')
    if (issuer_id !== undefined) await useIssuer(context, issuer_id)
    const password = password_authentication && (await hashed(context, password_authentication))
    return { ...endpoint, url_hostname, ...defined({ issuer_id, password }) }
  },
  release: ({ changes }, { id }) => forgetEndpoint(changes, CRM_OWNER, id),
})
