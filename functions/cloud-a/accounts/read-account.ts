import { readAccount } from '../../../shared/clouds/cloud-a/accounts/accounts.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAAccount, ReadAccount } from '../../../shared/clouds/cloud-a/kms/model.ts'

/** POST /v1/keymgr/cloud-a/accounts: asks the cloud, stores nothing. */
export const account = operation(
  {
    says: 'Read Cloud-a Account',
    body: ReadAccount,
    answers: CloudAAccount,
    may: 'keymgr-admins',
    reads: true,
  },
  async ({ body, context }) => ok(await readAccount(context, body)),
)
