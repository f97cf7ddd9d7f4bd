import { route, type Route } from '../../shared/http/operation.ts'
import { serve } from '../../shared/http/serve.ts'
import { add as addRings } from './key-rings/add.ts'
import { get as getRing } from './key-rings/get.ts'
import { list as listRings } from './key-rings/list.ts'
import { remove as removeRing } from './key-rings/remove.ts'
import { setAcls as setRingAcls } from './key-rings/update-acls.ts'
import { update as updateRing } from './key-rings/update.ts'
import { create as createKey } from './keys/create.ts'
import { disableAutoRotation } from './keys/disable-auto-rotation.ts'
import { enableAutoRotation } from './keys/enable-auto-rotation.ts'
import { policy } from './keys/get-policy.ts'
import { get as getKey } from './keys/get.ts'
import { list as listKeys } from './keys/list.ts'
import { refresh as refreshKey } from './keys/refresh.ts'
import { setPolicy } from './keys/set-policy.ts'
import { update as updateKey } from './keys/update.ts'
import { upload } from './keys/upload.ts'
import { iamRoles } from './look-ups/get-iam-roles.ts'
import { rings } from './look-ups/get-key-rings.ts'
import { locations } from './look-ups/get-locations.ts'
import { projects } from './look-ups/get-projects.ts'
import { create as addProject } from './projects/create.ts'
import { remove as removeProject } from './projects/delete.ts'
import { get as getProject } from './projects/get.ts'
import { list as listProjects } from './projects/list.ts'
import { setAcls as setProjectAcls } from './projects/update-acls.ts'
import { update as updateProject } from './projects/update.ts'
import { cancel as cancelSynchronization } from './synchronization-jobs/cancel.ts'
import { get as getSynchronization } from './synchronization-jobs/get.ts'
import { list as listSynchronizations } from './synchronization-jobs/list.ts'
import { start as startSynchronization } from './synchronization-jobs/start.ts'
import { create as updateAllVersions } from './update-all-versions-jobs/create.ts'
import { get as getVersionsJob } from './update-all-versions-jobs/get.ts'
import { cancelDestroy } from './versions/cancel-schedule-destroy.ts'
import { create as createVersion } from './versions/create.ts'
import { disable } from './versions/disable.ts'
import { publicKey } from './versions/download-public-key.ts'
import { enable } from './versions/enable.ts'
import { get as getVersion } from './versions/get.ts'
import { list as listVersions } from './versions/list.ts'
import { reimport } from './versions/re-import.ts'
import { refresh as refreshVersion } from './versions/refresh.ts'
import { scheduleDestroy } from './versions/schedule-destroy.ts'

/** The keys of cloud-c, and where they live there. */
export const routes: readonly Route[] = [
  route('POST', '/v1/keymgr/cloud-c/get-projects', projects),
  route('POST', '/v1/keymgr/cloud-c/get-locations', locations),
  route('POST', '/v1/keymgr/cloud-c/get-key-rings', rings),
  route('POST', '/v1/keymgr/cloud-c/get-iam-roles', iamRoles),
  route('GET', '/v1/keymgr/cloud-c/projects', listProjects),
  route('POST', '/v1/keymgr/cloud-c/projects', addProject),
  route('GET', '/v1/keymgr/cloud-c/projects/{id}', getProject),
  route('PATCH', '/v1/keymgr/cloud-c/projects/{id}', updateProject),
  route('DELETE', '/v1/keymgr/cloud-c/projects/{id}', removeProject),
  route('POST', '/v1/keymgr/cloud-c/projects/{id}/update-acls', setProjectAcls),
  route('POST', '/v1/keymgr/cloud-c/add-key-rings', addRings),
  route('GET', '/v1/keymgr/cloud-c/key-rings', listRings),
  route('GET', '/v1/keymgr/cloud-c/key-rings/{id}', getRing),
  route('PATCH', '/v1/keymgr/cloud-c/key-rings/{id}', updateRing),
  route('POST', '/v1/keymgr/cloud-c/key-rings/{id}/update-acls', setRingAcls),
  route('POST', '/v1/keymgr/cloud-c/key-rings/{id}/remove-key-ring', removeRing),
  route('GET', '/v1/keymgr/cloud-c/keys', listKeys),
  route('POST', '/v1/keymgr/cloud-c/keys', createKey),
  route('POST', '/v1/keymgr/cloud-c/upload-key', upload),
  route('GET', '/v1/keymgr/cloud-c/keys/{id}', getKey),
  route('PATCH', '/v1/keymgr/cloud-c/keys/{id}', updateKey),
  route('GET', '/v1/keymgr/cloud-c/keys/{id}/policy', policy),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/policy', setPolicy),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/refresh', refreshKey),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/enable-auto-rotation', enableAutoRotation),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/disable-auto-rotation', disableAutoRotation),
  route('GET', '/v1/keymgr/cloud-c/keys/{id}/versions', listVersions),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions', createVersion),
  route('GET', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}', getVersion),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/refresh', refreshVersion),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/enable', enable),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/disable', disable),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/schedule-destroy', scheduleDestroy),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/cancel-schedule-destroy', cancelDestroy),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/re-import', reimport),
  route('POST', '/v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/download-public-key', publicKey),
  route('POST', '/v1/keymgr/cloud-c/update-all-versions-jobs', updateAllVersions),
  route('GET', '/v1/keymgr/cloud-c/update-all-versions-jobs/{id}', getVersionsJob),
  route('GET', '/v1/keymgr/cloud-c/synchronization-jobs', listSynchronizations),
  route('POST', '/v1/keymgr/cloud-c/synchronization-jobs', startSynchronization),
  route('GET', '/v1/keymgr/cloud-c/synchronization-jobs/{id}', getSynchronization),
  route('POST', '/v1/keymgr/cloud-c/synchronization-jobs/{id}/cancel', cancelSynchronization),
]

export const handler = serve(routes)
