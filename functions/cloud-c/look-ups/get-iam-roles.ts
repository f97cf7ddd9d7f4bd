import { findRoles } from '../../../shared/domain/cloud-c/look-ups.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { FindLocations, FoundRoles } from '../../../shared/model/cloud-c-project.ts'

/** POST /v1/keymgr/cloud-c/get-iam-roles: roles for the key policy, one page, as the cloud says now. */
export const iamRoles = operation(
  { says: 'Get Cloud-c IAM Roles', body: FindLocations, answers: FoundRoles, may: 'keymgr-admins', reads: true },
  async ({ body, context }) => ok(await findRoles(context, body)),
)
