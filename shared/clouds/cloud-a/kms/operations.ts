import { Deleted, listOf } from '../../../http/common-fields.ts'
import { deleted, ok, operation, okStored, createdStored } from '../../../http/operation.ts'
import { archiveKms, recoverKms } from './archive-kms.ts'
import { createKms } from './create-kms.ts'
import { deleteKms } from './delete-kms.ts'
import { getKms } from './get-kms.ts'
import { listKms } from './list-kms.ts'
import {
  CloudAKms,
  CloudAKmsPath,
  CloudAKmsQuery,
  CreateCloudAKms,
  UpdateCloudAAcls,
  UpdateCloudAKms,
} from './model.ts'
import { updateAcls } from './update-acls.ts'
import { updateKms } from './update-kms.ts'

/** GET /v1/keymgr/cloud-a/kms/{id} */
export const get = operation(
  {
    summary: 'Get Cloud-a KMS',
    path: CloudAKmsPath,
    answers: CloudAKms,
    may: 'keymgr-users',
  },
  async ({ path, context }) => okStored(await getKms(context, path.id)),
)

/** GET /v1/keymgr/cloud-a/kms: the entries the caller may see. */
export const list = operation(
  {
    summary: 'List Cloud-a KMS',
    query: CloudAKmsQuery,
    answers: listOf(CloudAKms),
    may: 'keymgr-users',
  },
  async ({ query, context }) => ok(await listKms(context, query)),
)

/** POST /v1/keymgr/cloud-a/kms: no key is read yet. */
export const create = operation(
  {
    summary: 'Create Cloud-a KMS',
    body: CreateCloudAKms,
    answers: CloudAKms,
    status: 201,
    may: 'keymgr-admins',
  },
  async ({ body, context }) => createdStored(await createKms(context, body)),
)

/** PATCH /v1/keymgr/cloud-a/kms/{id}: the way into the account, and the whole new list of regions. */
export const update = operation(
  {
    summary: 'Update Cloud-a KMS',
    path: CloudAKmsPath,
    body: UpdateCloudAKms,
    answers: CloudAKms,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => okStored(await updateKms(context, path.id, body)),
)

/** DELETE /v1/keymgr/cloud-a/kms/{id}: the cloud is left alone. */
export const remove = operation(
  {
    summary: 'Delete Cloud-a KMS',
    path: CloudAKmsPath,
    answers: Deleted,
    may: 'keymgr-admins',
  },
  async ({ path, context }) => {
    await deleteKms(context, path.id)
    return deleted()
  },
)

/** POST /v1/keymgr/cloud-a/kms/{id}/archive: readable from now on, no more. */
export const archive = operation(
  {
    summary: 'Archive Cloud-a KMS',
    path: CloudAKmsPath,
    answers: CloudAKms,
    may: 'keymgr-admins',
  },
  async ({ path, context }) => okStored(await archiveKms(context, path.id)),
)

/** POST /v1/keymgr/cloud-a/kms/{id}/recover */
export const recover = operation(
  {
    summary: 'Recover Cloud-a KMS',
    path: CloudAKmsPath,
    answers: CloudAKms,
    may: 'keymgr-admins',
  },
  async ({ path, context }) => okStored(await recoverKms(context, path.id)),
)

/** POST /v1/keymgr/cloud-a/kms/{id}/update-acls */
export const setAcls = operation(
  {
    summary: 'Update Cloud-a KMS Permissions',
    path: CloudAKmsPath,
    body: UpdateCloudAAcls,
    answers: CloudAKms,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => okStored(await updateAcls(context, path.id, body)),
)
