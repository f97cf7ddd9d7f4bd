import { findRoles } from '../../../shared/clouds/cloud-c/look-ups/look-ups.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { FindLocations, FoundRoles } from '../../../shared/clouds/cloud-c/projects/model.ts'

/** POST /v1/keymgr/cloud-c/get-iam-roles: roles for the key policy, one page, as the cloud says now. */
export const iamRoles = operation(
  { says: 'Get Cloud-c IAM Roles', body: FindLocations, answers: FoundRoles, may: 'keymgr-admins', reads: true },
  async ({ body, context }) => ok(await findRoles(context, body)),
)
