import type { PermissionsRow } from '../../containers.ts'
import { updateCloudCKeyRingPermissions } from './described.ts'

export const PERMISSIONS: PermissionsRow = {
  path: '/v1/keymgr/cloud-c/key-rings/{id}/update-acls',
  actions: updateCloudCKeyRingPermissions['acls/0/actions'].words,
}
