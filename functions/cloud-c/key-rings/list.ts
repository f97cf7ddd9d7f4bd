import { listRings } from '../../../shared/domain/cloud-c/rings/rings.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCRing, RingQuery } from '../../../shared/model/cloud-c-project.ts'
import { listOf } from '../../../shared/model/common.ts'

/** GET /v1/keymgr/cloud-c/key-rings: those the caller may see. */
export const list = operation(
  { says: 'List Cloud-c Key Rings', query: RingQuery, answers: listOf(CloudCRing), may: 'keymgr-users' },
  async ({ query, context }) => ok(await listRings(context, query)),
)
