import { readUsers } from '../../../shared/domain/cloud-a/accounts.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { IdentityUsers, ReadIdentities } from '../../../shared/model/cloud-a-kms.ts'

/** POST /v1/keymgr/cloud-a/get-iam-users */
export const iamUsers = operation(
  {
    says: 'Get Cloud-a IAM Users',
    body: ReadIdentities,
    answers: IdentityUsers,
    may: 'keymgr-users',
    reads: true,
  },
  async ({ body, context }) => ok(await readUsers(context, body)),
)
