import { updateAcls } from '../../../shared/clouds/cloud-a/kms/update-acls.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAKms, CloudAKmsPath, UpdateCloudAAcls } from '../../../shared/clouds/cloud-a/kms/model.ts'

/** POST /v1/keymgr/cloud-a/kms/{id}/update-acls */
export const setAcls = operation(
  {
    says: 'Update Cloud-a KMS Permissions',
    path: CloudAKmsPath,
    body: UpdateCloudAAcls,
    answers: CloudAKms,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await updateAcls(context, path.id, body)
    return ok(item, rev)
  },
)
