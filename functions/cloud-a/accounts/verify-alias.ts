import { isAliasFree } from '../../../shared/domain/cloud-a/accounts.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { AliasAvailable, VerifyAlias } from '../../../shared/model/cloud-a-kms.ts'

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
