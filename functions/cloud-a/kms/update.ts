import { updateKms } from '../../../shared/clouds/cloud-a/kms/update-kms.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAKms, CloudAKmsPath, UpdateCloudAKms } from '../../../shared/clouds/cloud-a/kms/model.ts'

/** PATCH /v1/keymgr/cloud-a/kms/{id}: the way into the account, and the whole new list of regions. */
export const update = operation(
  {
    says: 'Update Cloud-a KMS',
    path: CloudAKmsPath,
    body: UpdateCloudAKms,
    answers: CloudAKms,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await updateKms(context, path.id, body)
    return ok(item, rev)
  },
)
