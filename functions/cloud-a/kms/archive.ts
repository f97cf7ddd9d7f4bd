import { archiveKms } from '../../../shared/clouds/cloud-a/kms/archive-kms.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAKms, CloudAKmsPath } from '../../../shared/clouds/cloud-a/kms/model.ts'

/** POST /v1/keymgr/cloud-a/kms/{id}/archive: readable from now on, no more. */
export const archive = operation(
  {
    says: 'Archive Cloud-a KMS',
    path: CloudAKmsPath,
    answers: CloudAKms,
    may: 'keymgr-admins',
  },
  async ({ path, context }) => {
    const { item, rev } = await archiveKms(context, path.id)
    return ok(item, rev)
  },
)
