import { recoverKms } from '../../../shared/clouds/cloud-a/kms/archive-kms.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAKms, CloudAKmsPath } from '../../../shared/clouds/cloud-a/kms/model.ts'

/** POST /v1/keymgr/cloud-a/kms/{id}/recover */
export const recover = operation(
  {
    says: 'Recover Cloud-a KMS',
    path: CloudAKmsPath,
    answers: CloudAKms,
    may: 'keymgr-admins',
  },
  async ({ path, context }) => {
    const { item, rev } = await recoverKms(context, path.id)
    return ok(item, rev)
  },
)
