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
import { block as blockKeyStore } from './custom-key-stores/block.ts'
import { cancel as cancelStoreSynchronization } from './custom-key-stores/cancel-synchronization.ts'
import { disableCredentialRotation } from './custom-key-stores/disable-credential-rotation-job.ts'
import { enableCredentialRotation } from './custom-key-stores/enable-credential-rotation-job.ts'
import { connect } from './custom-key-stores/connect.ts'
import { createKey as createKeyInStore } from './custom-key-stores/create-key.ts'
import { create as createKeyStore } from './custom-key-stores/create.ts'
import { removeCredential } from './custom-key-stores/delete-credential.ts'
import { remove as removeKeyStore } from './custom-key-stores/delete.ts'
import { disconnect } from './custom-key-stores/disconnect.ts'
import { credential } from './custom-key-stores/get-credential.ts'
import { health } from './custom-key-stores/get-health.ts'
import { unusedClusters } from './custom-key-stores/get-unused-clusters.ts'
import { get as getStoreSynchronization } from './custom-key-stores/get-synchronization.ts'
import { get as getKeyStore } from './custom-key-stores/get.ts'
import { link as linkKeyStore } from './custom-key-stores/link.ts'
import { credentials } from './custom-key-stores/list-credentials.ts'
import { list as listStoreSynchronizations } from './custom-key-stores/list-synchronizations.ts'
import { list as listKeyStores } from './custom-key-stores/list.ts'
import { rotate as rotateCredential } from './custom-key-stores/rotate-credential.ts'
import { start as startStoreSynchronization } from './custom-key-stores/start-synchronization.ts'
import { unblock as unblockKeyStore } from './custom-key-stores/unblock.ts'
import { update as updateKeyStore } from './custom-key-stores/update.ts'
import { addAlias } from './keys/add-alias.ts'
import { addTags } from './keys/add-tags.ts'
import { cancelDeletion } from './keys/cancel-deletion.ts'
import { block as blockKey } from './keys/block.ts'
import { createHosted } from './keys/create-hosted.ts'
import { create as createKey } from './keys/create.ts'
import { deleteAlias } from './keys/delete-alias.ts'
import { deleteMaterial } from './keys/delete-material.ts'
import { remove as removeKey } from './keys/delete.ts'
import { disableAutoRotation } from './keys/disable-auto-rotation.ts'
import { disableRotationJob } from './keys/disable-rotation-job.ts'
import { disable } from './keys/disable.ts'
import { publicKey } from './keys/download-public-key.ts'
import { enableAutoRotation } from './keys/enable-auto-rotation.ts'
import { enableRotationJob } from './keys/enable-rotation-job.ts'
import { enable } from './keys/enable.ts'
import { insideRotationStatus } from './keys/get-material-rotation-status.ts'
import { rotationStatus } from './keys/get-rotation-status.ts'
import { get as getKey } from './keys/get.ts'
import { importLocal } from './keys/import-material.ts'
import { rotations } from './keys/list-rotations.ts'
import { versions } from './keys/list-versions.ts'
import { list as listKeys } from './keys/list.ts'
import { link as linkKey } from './keys/link.ts'
import { policy } from './keys/policy.ts'
import { refresh } from './keys/refresh.ts'
import { removeTags } from './keys/remove-tags.ts'
import { replicate } from './keys/replicate.ts'
import { rotateInside } from './keys/rotate-material.ts'
import { rotate } from './keys/rotate.ts'
import { scheduleDeletion } from './keys/schedule-deletion.ts'
import { unblock as unblockKey } from './keys/unblock.ts'
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
import { create as createVirtualKey } from './virtual-keys/create.ts'
import { remove as removeVirtualKey } from './virtual-keys/delete.ts'
import { get as getVirtualKey } from './virtual-keys/get.ts'
import { versions as virtualKeyVersions } from './virtual-keys/list-versions.ts'
import { list as listVirtualKeys } from './virtual-keys/list.ts'
import { update as updateVirtualKey } from './virtual-keys/update.ts'

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
  route('POST', '/v1/keymgr/cloud-a/create-hyok-key', createHosted),
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
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/enable-rotation-job', enableRotationJob),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/disable-rotation-job', disableRotationJob),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/block', blockKey),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/unblock', unblockKey),
  route('POST', '/v1/keymgr/cloud-a/keys/{id}/link', linkKey),
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
  route('GET', '/v1/keymgr/virtual/keys', listVirtualKeys),
  route('POST', '/v1/keymgr/virtual/keys', createVirtualKey),
  route('GET', '/v1/keymgr/virtual/keys/{id}', getVirtualKey),
  route('PATCH', '/v1/keymgr/virtual/keys/{id}', updateVirtualKey),
  route('DELETE', '/v1/keymgr/virtual/keys/{id}', removeVirtualKey),
  route('GET', '/v1/keymgr/virtual/keys/{id}/versions', virtualKeyVersions),
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
  route('GET', '/v1/keymgr/cloud-a/custom-key-stores', listKeyStores),
  route('POST', '/v1/keymgr/cloud-a/custom-key-stores', createKeyStore),
  route('POST', '/v1/keymgr/cloud-a/custom-key-stores/get-unused-cloud-hsm-clusters', unusedClusters),
  route('GET', '/v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs', listStoreSynchronizations),
  route('POST', '/v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs', startStoreSynchronization),
  route('GET', '/v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs/{id}', getStoreSynchronization),
  route('POST', '/v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs/{id}/cancel', cancelStoreSynchronization),
  route('GET', '/v1/keymgr/cloud-a/custom-key-stores/{id}', getKeyStore),
  route('PATCH', '/v1/keymgr/cloud-a/custom-key-stores/{id}', updateKeyStore),
  route('DELETE', '/v1/keymgr/cloud-a/custom-key-stores/{id}', removeKeyStore),
  route('POST', '/v1/keymgr/cloud-a/custom-key-stores/{id}/link', linkKeyStore),
  route('POST', '/v1/keymgr/cloud-a/custom-key-stores/{id}/connect', connect),
  route('POST', '/v1/keymgr/cloud-a/custom-key-stores/{id}/disconnect', disconnect),
  route('POST', '/v1/keymgr/cloud-a/custom-key-stores/{id}/block', blockKeyStore),
  route('POST', '/v1/keymgr/cloud-a/custom-key-stores/{id}/unblock', unblockKeyStore),
  route('GET', '/v1/keymgr/cloud-a/custom-key-stores/{id}/health', health),
  route('POST', '/v1/keymgr/cloud-a/custom-key-stores/{id}/rotate-credential', rotateCredential),
  route('POST', '/v1/keymgr/cloud-a/custom-key-stores/{id}/enable-credential-rotation-job', enableCredentialRotation),
  route('POST', '/v1/keymgr/cloud-a/custom-key-stores/{id}/disable-credential-rotation-job', disableCredentialRotation),
  route('GET', '/v1/keymgr/cloud-a/custom-key-stores/{id}/credentials', credentials),
  route('GET', '/v1/keymgr/cloud-a/custom-key-stores/{id}/credentials/{credential_id}', credential),
  route('DELETE', '/v1/keymgr/cloud-a/custom-key-stores/{id}/credentials/{credential_id}', removeCredential),
  route('POST', '/v1/keymgr/cloud-a/custom-key-stores/{id}/create-cloud-a-key', createKeyInStore),
]

export const handler = serve(routes)
