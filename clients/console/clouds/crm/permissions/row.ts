import type { PermissionsRow } from '../../containers.ts'
import { updateCrmOrganizationPermissions } from './described.ts'

export const PERMISSIONS: PermissionsRow = {
  path: '/v1/keymgr/crm/organizations/{id}/update-acls',
  actions: updateCrmOrganizationPermissions['acls/0/actions'].words,
}
