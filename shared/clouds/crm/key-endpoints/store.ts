import * as z from 'zod'
import { entity } from '../../../store/entity.ts'
import type { Family } from '../../../store/layout.ts'
import { extended } from '../../../base/lazy-fields.ts'
import { CrmEndpoint } from './model.ts'

const StoredCrmEndpoint = extended(CrmEndpoint.omit({ url: true, password_authentication: true }), () => ({
  /** the cloud's id of the organization */
  crm_organization_id: z.string(),
  /** the salted hash of the password, as a PHC string */
  password: z.object({ username: z.string(), hash: z.string() }).optional(),
}))
export type StoredCrmEndpoint = z.infer<typeof StoredCrmEndpoint>

/** Kind of the items that name the domain of an endpoint. */
export const CRM_OWNER = 'crm-endpoint-owner'

export const endpointsOfOrganization = (organization: string): string => `organization:${organization}`
export const endpointsOfIssuer = (issuer: string): string => `issuer:${issuer}`

/** Reads served: an endpoint by id; by name; all; those of an organization, and of an issuer. */
export const crmEndpoints = entity({
  name: 'crm-endpoint',
  schema: StoredCrmEndpoint,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  families: ({ id, organization_id, issuer_id }): Family[] => [
    { name: endpointsOfOrganization(organization_id), key: id },
    ...(issuer_id === undefined ? [] : [{ name: endpointsOfIssuer(issuer_id), key: id }]),
  ],
  row: (endpoint) => ({
    id: endpoint.id,
    name: endpoint.name,
    url_hostname: endpoint.url_hostname,
    organization_id: endpoint.organization_id,
    organization_name: endpoint.organization_name,
    crm_organization_id: endpoint.crm_organization_id,
    createdAt: endpoint.createdAt,
    updatedAt: endpoint.updatedAt,
  }),
})
