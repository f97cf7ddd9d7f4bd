import { route, type Route } from '../../shared/http/operation.ts'
import { serve } from '../../shared/http/serve.ts'
import { allRegions } from './accounts/get-all-regions.ts'
import { iamRoles } from './accounts/get-iam-roles.ts'
import { iamUsers } from './accounts/get-iam-users.ts'
import { logGroups } from './accounts/get-log-groups.ts'
import { account } from './accounts/read-account.ts'
import { verifyAlias } from './accounts/verify-alias.ts'
import { cancel as cancelBulkJob } from './bulk-jobs/cancel.ts'
import { create as createBulkJob } from './bulk-jobs/create.ts'
import { get as getBulkJob } from './bulk-jobs/get.ts'
import { list as listBulkJobs } from './bulk-jobs/list.ts'
import { addAlias } from './keys/add-alias.ts'
import { addTags } from './keys/add-tags.ts'
import { cancelDeletion } from './keys/cancel-deletion.ts'
import { create as createKey } from './keys/create.ts'
import { deleteAlias } from './keys/delete-alias.ts'
import { deleteMaterial } from './keys/delete-material.ts'
import { remove as removeKey } from './keys/delete.ts'
import { disableAutoRotation } from './keys/disable-auto-rotation.ts'
import { disable } from './keys/disable.ts'
import { publicKey } from './keys/download-public-key.ts'
import { enableAutoRotation } from './keys/enable-auto-rotation.ts'
import { enable } from './keys/enable.ts'
import { insideRotationStatus } from './keys/get-material-rotation-status.ts'
import { rotationStatus } from './keys/get-rotation-status.ts'
import { get as getKey } from './keys/get.ts'
import { importLocal } from './keys/import-material.ts'
import { rotations } from './keys/list-rotations.ts'
import { versions } from './keys/list-versions.ts'
import { list as listKeys } from './keys/list.ts'
import { policy } from './keys/policy.ts'
import { refresh } from './keys/refresh.ts'
import { removeTags } from './keys/remove-tags.ts'
import { replicate } from './keys/replicate.ts'
import { rotateInside } from './keys/rotate-material.ts'
import { rotate } from './keys/rotate.ts'
import { scheduleDeletion } from './keys/schedule-deletion.ts'
import { updateDescription } from './keys/update-description.ts'
import { updatePrimaryRegion } from './keys/update-primary-region.ts'
import { upload } from './keys/upload.ts'
import { archive } from './kms/archive.ts'
import { create } from './kms/create.ts'
import { remove } from './kms/delete.ts'
import { get } from './kms/get.ts'
import { list } from './kms/list.ts'
import { recover } from './kms/recover.ts'
import { setAcls } from './kms/update-acls.ts'
import { update } from './kms/update.ts'
import { cancel as cancelSynchronization } from './synchronization-jobs/cancel.ts'
import { get as getSynchronization } from './synchronization-jobs/get.ts'
import { list as listSynchronizations } from './synchronization-jobs/list.ts'
import { start as startSynchronization } from './synchronization-jobs/start.ts'
import { create as createTemplate } from './templates/create.ts'
import { remove as removeTemplate } from './templates/delete.ts'
import { get as getTemplate } from './templates/get.ts'
import { list as listTemplates } from './templates/list.ts'
import { update as updateTemplate } from './templates/update.ts'

/** The keys of cloud-a, and where they live there. */
export const routes: readonly Route[] = [
  route('POST', '/v1/keymgr/cloud-a/accounts', account),
  route('POST', '/v1/keymgr/cloud-a/get-all-regions', allRegions),
  route('POST', '/v1/keymgr/cloud-a/get-iam-users', iamUsers),
  route('POST', '/v1/keymgr/cloud-a/get-iam-roles', iamRoles),
  route('POST', '/v1/keymgr/cloud-a/get-log-groups', logGroups),
  route('POST', '/v1/keymgr/cloud-a/alias/verify', verifyAlias),
  route('GET', '/v1/keymgr/cloud-a/kms', list),
  route('POST', '/v1/keymgr/cloud-a/kms', create),
  route('GET', '/v1/keymgr/cloud-a/kms/{id}', get),
  route('PATCH', '/v1/keymgr/cloud-a/kms/{id}', update),
  route('DELETE', '/v1/keymgr/cloud-a/kms/{id}', remove),
  route('POST', '/v1/keymgr/cloud-a/kms/{id}/archive', archive),
  route('POST', '/v1/keymgr/cloud-a/kms/{id}/recover', recover),
  route('POST', '/v1/keymgr/cloud-a/kms/{id}/update-acls', setAcls),
  route('GET', '/v1/keymgr/cloud-a/keys', listKeys),
  route('POST', '/v1/keymgr/cloud-a/keys', createKey),
  route('POST', '/v1/keymgr/cloud-a/upload-key', upload),
  route('GET', '/v1/keymgr/cloud-a/keys/{id}', getKey),
  route('DELETE', '/v1/keymgr/cloud-a/keys/{id}', removeKey),
  route('GET', '/v1/keymgr/cloud-a/keys/{id}/versions', versions),
  route('GET', '/v1/keymgr/cloud-a/keys/{id}/download-public-key', publicKey),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/refresh', refresh),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/rotate', rotate),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/enable', enable),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/disable', disable),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/schedule-deletion', scheduleDeletion),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/cancel-deletion', cancelDeletion),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/add-tags', addTags),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/remove-tags', removeTags),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/add-alias', addAlias),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/delete-alias', deleteAlias),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/update-description', updateDescription),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/policy', policy),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/import-material', importLocal),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/delete-material', deleteMaterial),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/rotate-material', rotateInside),
  route('GET', '/v1/keymgr/cloud-a/keys/{id}/rotate-material/status', insideRotationStatus),
  route('GET', '/v1/keymgr/cloud-a/keys/{id}/rotations', rotations),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/replicate-key', replicate),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/get-key-rotation-status', rotationStatus),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/enable-auto-rotation', enableAutoRotation),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/disable-auto-rotation', disableAutoRotation),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/update-primary-region', updatePrimaryRegion),
  route('GET', '/v1/keymgr/cloud-a/templates', listTemplates),
  route('POST', '/v1/keymgr/cloud-a/templates', createTemplate),
  route('GET', '/v1/keymgr/cloud-a/templates/{id}', getTemplate),
  route('PATCH', '/v1/keymgr/cloud-a/templates/{id}', updateTemplate),
  route('DELETE', '/v1/keymgr/cloud-a/templates/{id}', removeTemplate),
  route('GET', '/v1/keymgr/cloud-a/bulkjob', listBulkJobs),
  route('POST', '/v1/keymgr/cloud-a/bulkjob', createBulkJob),
  route('GET', '/v1/keymgr/cloud-a/bulkjob/{id}', getBulkJob),
  route('POST', '/v1/keymgr/cloud-a/bulkjob/{id}/cancel', cancelBulkJob),
  route('GET', '/v1/keymgr/cloud-a/synchronization-jobs', listSynchronizations),
  route('POST', '/v1/keymgr/cloud-a/synchronization-jobs', startSynchronization),
  route('GET', '/v1/keymgr/cloud-a/synchronization-jobs/{id}', getSynchronization),
  route('POST', '/v1/keymgr/cloud-a/synchronization-jobs/{id}/cancel', cancelSynchronization),
]

export const handler = serve(routes)
