import type { PermissionsRow } from '../../containers.ts'
import { updateDatacustGroupPermissions } from './described.ts'

export const PERMISSIONS: PermissionsRow = {
  path: '/v1/keymgr/datacust/groups/{id}/update-acls',
  actions: updateDatacustGroupPermissions['acls/0/actions'].words,
}
