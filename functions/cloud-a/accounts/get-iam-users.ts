import { readUsers } from '../../../shared/clouds/cloud-a/accounts/accounts.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { IdentityUsers, ReadIdentities } from '../../../shared/clouds/cloud-a/kms/model.ts'

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
