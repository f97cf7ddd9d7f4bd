import type { PermissionsRow } from '../../containers.ts'
import { updateCloudDVaultPermissions } from './described.ts'

export const PERMISSIONS: PermissionsRow = {
  path: '/v1/keymgr/cloud-d/vaults/{id}/update-acls',
  actions: updateCloudDVaultPermissions['acls/0/actions'].words,
}
