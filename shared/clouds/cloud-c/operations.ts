import { synchronizationRoutes } from '../../work/synchronize/operations.ts'
import { cloudC } from './cloud.ts'
import { route, type Route } from '../../http/operation.ts'
import * as keys from './keys/operations.ts'
import * as lookUps from './look-ups/operations.ts'
import * as projects from './projects/operations.ts'
import * as rings from './rings/operations.ts'
import * as versionsBulk from './versions/bulk-operations.ts'
import * as versions from './versions/operations.ts'

/** The keys of cloud-c, and where they live there. */
export const routes: readonly Route[] = [
  route('POST', '/v1/keymgr/cloud-c/get-projects', lookUps.projects),
  route('POST', '/v1/keymgr/cloud-c/get-locations', lookUps.locations),
  route('POST', '/v1/keymgr/cloud-c/get-key-rings', lookUps.rings),
  route('POST', '/v1/keymgr/cloud-c/get-iam-roles', lookUps.iamRoles),
  route('GET', '/v1/keymgr/cloud-c/projects', projects.list),
  route('POST', '/v1/keymgr/cloud-c/projects', projects.create),
  route('GET', '/v1/keymgr/cloud-c/projects/{id}', projects.get),
  route('PATCH', '/v1/keymgr/cloud-c/projects/{id}', projects.update),
  route('DELETE', '/v1/keymgr/cloud-c/projects/{id}', projects.remove),
  route('POST', '/v1/keymgr/cloud-c/projects/{id}/update-acls', projects.setAcls),
  route('POST', '/v1/keymgr/cloud-c/add-key-rings', rings.add),
  route('GET', '/v1/keymgr/cloud-c/key-rings', rings.list),
  route('GET', '/v1/keymgr/cloud-c/key-rings/{id}', rings.get),
  route('PATCH', '/v1/keymgr/cloud-c/key-rings/{id}', rings.update),
  route('POST', '/v1/keymgr/cloud-c/key-rings/{id}/update-acls', rings.setAcls),
  route('POST', '/v1/keymgr/cloud-c/key-rings/{id}/remove-key-ring', rings.remove),
  route('GET', '/v1/keymgr/cloud-c/keys', keys.list),
  route('POST', '/v1/keymgr/cloud-c/keys', keys.create),
  route('POST', '/v1/keymgr/cloud-c/upload-key', keys.upload),
  route('GET', '/v1/keymgr/cloud-c/keys/{id}', keys.get),
  route('PATCH', '/v1/keymgr/cloud-c/keys/{id}', keys.update),
  route('GET', '/v1/keymgr/cloud-c/keys/{id}/policy', keys.policy),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/policy', keys.setPolicy),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/refresh', keys.refresh),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/enable-auto-rotation', keys.enableAutoRotation),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/disable-auto-rotation', keys.disableAutoRotation),
  route('GET', '/v1/keymgr/cloud-c/keys/{id}/versions', versions.list),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions', versions.create),
  route('GET', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}', versions.get),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/refresh', versions.refresh),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/enable', versions.enable),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/disable', versions.disable),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/schedule-destroy', versions.scheduleDestroy),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/cancel-schedule-destroy', versions.cancelDestroy),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/re-import', versions.reimport),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/download-public-key', versions.publicKey),
  route('POST', '/v1/keymgr/cloud-c/update-all-versions-jobs', versionsBulk.create),
  route('GET', '/v1/keymgr/cloud-c/update-all-versions-jobs/{id}', versionsBulk.get),
  ...synchronizationRoutes('/v1/keymgr/cloud-c/synchronization-jobs', {
    source: { cloud_name: cloudC.name },
    containerList: cloudC.containerList,
    noun: 'Synchronization',
  }),
]
