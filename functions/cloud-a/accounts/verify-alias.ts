import { isAliasFree } from '../../../shared/clouds/cloud-a/accounts/accounts.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { AliasAvailable, VerifyAlias } from '../../../shared/clouds/cloud-a/kms/model.ts'

/** POST /v1/keymgr/cloud-a/alias/verify */
export const verifyAlias = operation(
  {
    says: 'Verify Cloud-a Alias',
    body: VerifyAlias,
    answers: AliasAvailable,
    may: 'keymgr-users',
    reads: true,
  },
  async ({ body, context }) => ok({ available: await isAliasFree(context, body) }),
)
