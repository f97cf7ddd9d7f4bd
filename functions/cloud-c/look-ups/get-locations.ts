import { findLocations } from '../../../shared/clouds/cloud-c/look-ups/look-ups.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { FindLocations, FoundLocations } from '../../../shared/clouds/cloud-c/projects/model.ts'

/** POST /v1/keymgr/cloud-c/get-locations: locations a project may use, one page, as the cloud says now. */
export const locations = operation(
  { says: 'Get Cloud-c Locations', body: FindLocations, answers: FoundLocations, may: 'keymgr-admins', reads: true },
  async ({ body, context }) => ok(await findLocations(context, body)),
)
