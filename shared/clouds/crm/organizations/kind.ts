import { without } from '../../../base/fields.ts'
import type { ContainerKind } from '../../../cloud/containers/kind.ts'
import { RECORDED_ALONE } from '../../../cloud/containers/model.ts'
import type { CrmOrganization } from './model.ts'
import { crmOrganizations, organizationsNamed, type CrmOrganizationRow, type StoredCrmOrganization } from './store.ts'

const VIEWS: readonly string[] = ['view', 'reportview']

/** Organizations, the containers of tenant secrets. */
export const organizationKind: ContainerKind<StoredCrmOrganization, CrmOrganizationRow, CrmOrganization> = {
  entity: crmOrganizations,
  noun: 'organization',
  nameOf: ({ name }) => name,
  namedBy: 'organization',
  sharedNames: { idsOf: organizationsNamed, orAs: "the cloud's id" },
  views: VIEWS,
  viewOf: (action) => (VIEWS.includes(action) ? [] : [action.startsWith('report') ? 'reportview' : 'view']),
  audited: ['name', 'organization_id', 'connection', 'acls'],
  present: (organization) => without(organization, ...RECORDED_ALONE),
}
