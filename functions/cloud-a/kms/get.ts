import { getKms } from '../../../shared/clouds/cloud-a/kms/get-kms.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAKms, CloudAKmsPath } from '../../../shared/clouds/cloud-a/kms/model.ts'

/** GET /v1/keymgr/cloud-a/kms/{id} */
export const get = operation(
  {
    says: 'Get Cloud-a KMS',
    path: CloudAKmsPath,
    answers: CloudAKms,
    may: 'keymgr-users',
  },
  async ({ path, context }) => {
    const { item, rev } = await getKms(context, path.id)
    return ok(item, rev)
  },
)
