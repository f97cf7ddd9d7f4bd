import type { PermissionsRow } from '../../containers.ts'
import { updateCloudAKmsPermissions } from './described.ts'

export const PERMISSIONS: PermissionsRow = {
  path: '/v1/keymgr/cloud-a/kms/{id}/update-acls',
  actions: updateCloudAKmsPermissions['acls/0/actions'].words,
}
