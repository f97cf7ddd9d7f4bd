import type * as z from 'zod'
import { containerEntity } from '../../../cloud/containers/entity.ts'
import { storedContainer } from '../../../cloud/containers/model.ts'
import { CrmOrganization } from './model.ts'

const StoredCrmOrganization = CrmOrganization.extend(storedContainer)
export type StoredCrmOrganization = z.infer<typeof StoredCrmOrganization>

const called = (name: string): string => `name:${name}`

/** Organizations, unique in a domain by the cloud's ids. Those with the same name can be read together. */
export const crmOrganizations = containerEntity({
  name: 'crm-organization',
  schema: StoredCrmOrganization,
  unique: ({ organization_id }) => ({ organization: [organization_id] }),
  families: ({ id, name }) => [{ name: called(name), key: id }],
  row: ({ organization_id, organization_type }) => ({ organization_id, organization_type }),
})
export type CrmOrganizationRow = ReturnType<typeof crmOrganizations.row>

/** Ours: more organizations than share one name in practice. */
const NAMESAKES_MOST = 100

/** Ids of the organizations with a name or an id of the cloud. */
export async function organizationsNamed(domain: string, reference: string): Promise<readonly string[]> {
  const byCloudId = await crmOrganizations.holder(domain, 'organization', reference)
  if (byCloudId !== undefined) return [byCloudId]
  const members = await crmOrganizations.membersAfter(domain, called(reference), undefined, NAMESAKES_MOST)
  return members.map(({ id }) => id)
}
