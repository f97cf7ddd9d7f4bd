import type { PermissionsRow } from '../../containers.ts'
import { updateCloudBVaultPermissions } from './described.ts'

export const PERMISSIONS: PermissionsRow = {
  path: '/v1/keymgr/cloud-b/vaults/{id}/update-acls',
  actions: updateCloudBVaultPermissions['acls/0/actions'].words,
}
