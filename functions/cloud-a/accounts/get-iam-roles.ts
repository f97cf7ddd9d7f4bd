import { readRoles } from '../../../shared/clouds/cloud-a/accounts/accounts.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { IdentityRoles, ReadIdentities } from '../../../shared/clouds/cloud-a/kms/model.ts'

/** POST /v1/keymgr/cloud-a/get-iam-roles */
export const iamRoles = operation(
  {
    says: 'Get Cloud-a IAM Roles',
    body: ReadIdentities,
    answers: IdentityRoles,
    may: 'keymgr-users',
    reads: true,
  },
  async ({ body, context }) => ok(await readRoles(context, body)),
)
