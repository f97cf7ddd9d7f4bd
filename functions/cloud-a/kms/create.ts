import { createKms } from '../../../shared/clouds/cloud-a/kms/create-kms.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CloudAKms, CreateCloudAKms } from '../../../shared/clouds/cloud-a/kms/model.ts'

/** POST /v1/keymgr/cloud-a/kms: no key is read yet. */
export const create = operation(
  {
    says: 'Create Cloud-a KMS',
    body: CreateCloudAKms,
    answers: CloudAKms,
    status: 201,
    may: 'keymgr-admins',
  },
  async ({ body, context }) => {
    const { item, rev } = await createKms(context, body)
    return created(item, rev)
  },
)
