import { deleteKms } from '../../../shared/clouds/cloud-a/kms/delete-kms.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { CloudAKmsPath } from '../../../shared/clouds/cloud-a/kms/model.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'

/** DELETE /v1/keymgr/cloud-a/kms/{id}: the cloud is left alone. */
export const remove = operation(
  {
    says: 'Delete Cloud-a KMS',
    path: CloudAKmsPath,
    answers: Deleted,
    may: 'keymgr-admins',
  },
  async ({ path, context }) => {
    await deleteKms(context, path.id)
    return deleted()
  },
)
