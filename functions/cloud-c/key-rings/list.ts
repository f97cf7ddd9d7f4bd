import { listRings } from '../../../shared/clouds/cloud-c/rings/rings.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCRing, RingQuery } from '../../../shared/clouds/cloud-c/projects/model.ts'
import { listOf } from '../../../shared/http/common-fields.ts'

/** GET /v1/keymgr/cloud-c/key-rings: those the caller may see. */
export const list = operation(
  { says: 'List Cloud-c Key Rings', query: RingQuery, answers: listOf(CloudCRing), may: 'keymgr-users' },
  async ({ query, context }) => ok(await listRings(context, query)),
)
