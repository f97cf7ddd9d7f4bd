import { updateContainerAcls } from '../../../cloud/containers/change-container.ts'
import { getContainer, listContainers } from '../../../cloud/containers/read-containers.ts'
import { operationsOn } from '../../../cloud/operations-on.ts'
import { archiveKms, deleteKms, recoverKms, updateKms } from './change-kms.ts'
import { createKms } from './create-kms.ts'
import { kmsKind } from './kms-kind.ts'
import {
  CloudAKms,
  CloudAKmsPath,
  CloudAKmsQuery,
  CreateCloudAKms,
  UpdateCloudAAcls,
  UpdateCloudAKms,
} from './model.ts'

const on = operationsOn({ path: CloudAKmsPath, answers: CloudAKms, reads: 'keymgr-users', changes: 'keymgr-admins' })

/** GET /v1/keymgr/cloud-a/kms/{id} */
export const get = on.get('Get Cloud-a KMS', (context, id) => getContainer(kmsKind, context, id))

/** GET /v1/keymgr/cloud-a/kms: the entries the caller may see. */
export const list = on.list('List Cloud-a KMS', CloudAKmsQuery, (context, query) =>
  listContainers(kmsKind, context, query, {
    account_id: query.account_id,
    cloud_name: query.cloud_name,
    status: query.status,
  }),
)

/** POST /v1/keymgr/cloud-a/kms: no key is read yet. */
export const create = on.create('Create Cloud-a KMS', CreateCloudAKms, createKms)

/** PATCH /v1/keymgr/cloud-a/kms/{id}: the way into the account, and the whole new list of regions. */
export const update = on.act('Update Cloud-a KMS', updateKms, UpdateCloudAKms)

/** DELETE /v1/keymgr/cloud-a/kms/{id}: the cloud is left alone. */
export const remove = on.remove('Delete Cloud-a KMS', deleteKms)

/** POST /v1/keymgr/cloud-a/kms/{id}/archive: readable from now on, no more. */
export const archive = on.act('Archive Cloud-a KMS', archiveKms)

/** POST /v1/keymgr/cloud-a/kms/{id}/recover */
export const recover = on.act('Recover Cloud-a KMS', recoverKms)

/** POST /v1/keymgr/cloud-a/kms/{id}/update-acls */
export const setAcls = on.act(
  'Update Cloud-a KMS Permissions',
  (context, id, body) => updateContainerAcls(kmsKind, context, id, body),
  UpdateCloudAAcls,
)
