import * as z from 'zod'
import { CommonContainer, commonContainerFilters } from '../../../cloud/containers/model.ts'
import { NameOrId, Time } from '../../../http/common-fields.ts'
import { anyOf, anyTexts, listQuery } from '../../../http/lists/list-query.ts'
import { extended, object, strictObject } from '../../../base/lazy-fields.ts'
import { CRM_NAMES } from '../param.ts'

/** Ours: derived from the cloud's flag of a sandbox. */
const TYPES = ['production', 'sandbox'] as const
const OrganizationId = z.string().regex(/^00D[A-Za-z0-9]{12,15}$/, {
  error: 'must be the id of an organization at the cloud, which begins with 00D',
})

/** An organization: the container of tenant secrets and certificates. */
export const CrmOrganization = extended(CommonContainer, () => ({
  organization_id: z.string().meta({ description: "the cloud's id" }),
  organization_type: z.enum(TYPES),
  instance_url: z.string(),
  cloud_name: z.enum(CRM_NAMES),
  is_sandbox: z.boolean(),
  refreshed_at: Time.optional().meta({ description: 'when all of its tenant secrets were last read' }),
}))
export type CrmOrganization = z.infer<typeof CrmOrganization>

export const FindOrganization = z.strictObject({ connection: NameOrId })
export const FoundOrganization = object(() => ({
  name: z.string(),
  organization_id: z.string(),
  connection: z.string(),
  cloud_name: z.enum(CRM_NAMES),
  type: z.enum(TYPES),
}))
export const AddOrganization = strictObject(() => ({
  connection: NameOrId,
  organization_id: OrganizationId.optional().meta({ description: 'refuses a connection that reaches another one' }),
}))
export type AddOrganization = z.infer<typeof AddOrganization>
export const UpdateOrganization = strictObject(() => ({
  connection: NameOrId.optional().meta({ description: 'must reach the organization, which is read anew' }),
}))
export type UpdateOrganization = z.infer<typeof UpdateOrganization>

export const OrganizationQuery = listQuery(CrmOrganization, () => ({
  ...commonContainerFilters,
  ...anyTexts('organization_id'),
  organization_type: anyOf(TYPES).optional(),
  cloud_name: anyOf(CRM_NAMES).optional(),
}))

export const FindNamedCredentials = strictObject(() => ({
  organization_id: NameOrId.meta({ description: "id of the organization's record, its name, or the cloud's id of it" }),
}))
export const FoundNamedCredentials = object(() => ({
  named_credentials: z.array(
    z.object({
      id: z.string().meta({ description: "the cloud's id" }),
      name: z.string(),
      endpoint: z
        .string()
        .nullable()
        .meta({ description: 'null of the newer kinds, whose address the cloud does not show' }),
    }),
  ),
}))
