import { listEndpoints } from '../../../shared/endpoints/ekm/list-endpoints.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { EkmEndpoint, EkmEndpointQuery } from '../../../shared/endpoints/ekm/model.ts'

/** GET /v1/keymgr/ekm/endpoints */
export const list = operation(
  { says: 'List EKM Endpoints', query: EkmEndpointQuery, answers: listOf(EkmEndpoint), may: 'keymgr-admins' },
  async ({ query, context }) => ok(await listEndpoints(context, query)),
)
