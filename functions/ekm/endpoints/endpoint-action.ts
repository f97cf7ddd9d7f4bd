import type { Context } from '../../../shared/http/context.ts'
import { ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { EkmEndpoint, EkmEndpointPath } from '../../../shared/endpoints/ekm/model.ts'
import type { Stored } from '../../../shared/store/entity.ts'

/** POST /v1/keymgr/ekm/endpoints/{id}/<action>: does one thing to an endpoint and answers it as it is then. */
export const endpointAction = (
  says: string,
  act: (context: Context, id: string) => Promise<Stored<EkmEndpoint>>,
): Operation =>
  operation({ says, path: EkmEndpointPath, answers: EkmEndpoint, may: 'keymgr-admins' }, async ({ path, context }) => {
    const { item, rev } = await act(context, path.id)
    return ok(item, rev)
  })
