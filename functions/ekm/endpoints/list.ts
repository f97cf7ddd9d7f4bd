import { listEndpoints } from '../../../shared/domain/ekm/list-endpoints.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/model/common.ts'
import { EkmEndpoint, EkmEndpointQuery } from '../../../shared/model/ekm-endpoint.ts'

/** GET /v1/keymgr/ekm/endpoints */
export const list = operation(
  { says: 'List EKM Endpoints', query: EkmEndpointQuery, answers: listOf(EkmEndpoint), may: 'keymgr-admins' },
  async ({ query, context }) => ok(await listEndpoints(context, query)),
)
