import * as z from 'zod'
import { Name, Resource, Uuid } from '../../../http/common-fields.ts'
import { anyPatterns, anyTexts, listQuery } from '../../../http/lists/list-query.ts'
import { attribute, Country } from '../../../http/subject-names.ts'
import { GROUPS_MOST } from '../../../identity/clients/group-names.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { DAYS_MOST } from '../../validity.ts'

export const CLIENT_DAYS = 730

export const Days = z.int().min(1).max(DAYS_MOST).meta({ description: 'days' })

/** Names in the certificate of a client whose key the service creates. */
const CsrParameters = strictObject(() => ({
  csr_cn: attribute(64).optional().meta({ description: "common name; without it, the client's name" }),
  csr_country: Country.optional(),
  csr_state: attribute(128).optional(),
  csr_city: attribute(128).optional(),
  csr_org_name: attribute(64).optional(),
  csr_org_unit: attribute(64).optional(),
  csr_email: z.email().max(254).optional(),
}))
export type CsrParameters = z.infer<typeof CsrParameters>

/** Settings of the clients that are registered with it, in answers. */
export const ClientProfile = extended(Resource, () => ({
  name: z.string(),
  ca_id: z.string().optional().meta({ description: "local CA; without it, the domain's oldest that is active" }),
  cert_duration: z.int().meta({ description: 'days' }),
  csr_parameters: CsrParameters.optional(),
  groups: z.array(z.string()),
}))
export type ClientProfile = z.infer<typeof ClientProfile>

const groups = z.array(Name).max(GROUPS_MOST)

export const CreateClientProfile = strictObject(() => ({
  name: Name,
  ca_id: Uuid.optional(),
  cert_duration: Days.default(CLIENT_DAYS),
  csr_parameters: CsrParameters.optional(),
  groups: groups.optional(),
}))
export type CreateClientProfile = z.infer<typeof CreateClientProfile>

export const UpdateClientProfile = strictObject(() => ({
  name: Name.optional(),
  ca_id: Uuid.nullable().optional(),
  cert_duration: Days.optional(),
  csr_parameters: CsrParameters.nullable().optional(),
  groups: groups.nullable().optional(),
}))
export type UpdateClientProfile = z.infer<typeof UpdateClientProfile>

export const ClientProfileQuery = listQuery(ClientProfile, () => ({
  ...anyPatterns('name'),
  ...anyTexts('id', 'ca_id'),
}))
export type ClientProfileQuery = z.infer<typeof ClientProfileQuery>
