import { findRings } from '../../../shared/clouds/cloud-c/look-ups/look-ups.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { FindRings, FoundRings } from '../../../shared/clouds/cloud-c/projects/model.ts'

/** POST /v1/keymgr/cloud-c/get-key-rings: rings the cloud has in a location, one page, as the cloud says now. */
export const rings = operation(
  { says: 'Get Cloud-c Key Rings', body: FindRings, answers: FoundRings, may: 'keymgr-admins', reads: true },
  async ({ body, context }) => ok(await findRings(context, body)),
)
