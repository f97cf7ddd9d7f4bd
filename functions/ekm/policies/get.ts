import { getPolicy } from '../../../shared/endpoints/ekm/update-endpoint.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { EkmEndpointPath } from '../../../shared/endpoints/ekm/model.ts'
import { EkmPolicyWithText } from '../../../shared/endpoints/ekm/policy-model.ts'

/** GET /v1/keymgr/ekm/endpoints/{id}/policies: the policy, and the Rego that decides. */
export const getPolicies = operation(
  { says: 'Get EKM Endpoint Policy', path: EkmEndpointPath, answers: EkmPolicyWithText, may: 'keymgr-admins' },
  async ({ path, context }) => {
    const { item, rev } = await getPolicy(context, path.id)
    return ok(item, rev)
  },
)
