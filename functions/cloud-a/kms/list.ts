import { listKms } from '../../../shared/clouds/cloud-a/kms/list-kms.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAKms, CloudAKmsQuery } from '../../../shared/clouds/cloud-a/kms/model.ts'
import { listOf } from '../../../shared/http/common-fields.ts'

/** GET /v1/keymgr/cloud-a/kms: the entries the caller may see. */
export const list = operation(
  {
    says: 'List Cloud-a KMS',
    query: CloudAKmsQuery,
    answers: listOf(CloudAKms),
    may: 'keymgr-users',
  },
  async ({ query, context }) => ok(await listKms(context, query)),
)
