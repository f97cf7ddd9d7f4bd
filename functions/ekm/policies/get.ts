import { getPolicy } from '../../../shared/domain/ekm/update-endpoint.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { EkmEndpointPath } from '../../../shared/model/ekm-endpoint.ts'
import { EkmPolicyWithText } from '../../../shared/model/ekm-policy.ts'

/** GET /v1/keymgr/ekm/endpoints/{id}/policies: the policy, and the Rego that decides. */
export const getPolicies = operation(
  { says: 'Get EKM Endpoint Policy', path: EkmEndpointPath, answers: EkmPolicyWithText, may: 'keymgr-admins' },
  async ({ path, context }) => {
    const { item, rev } = await getPolicy(context, path.id)
    return ok(item, rev)
  },
)
