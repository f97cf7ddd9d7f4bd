import { updatePolicy } from '../../../shared/endpoints/ekm/update-endpoint.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { EkmEndpointPath, UpdateEkmPolicy } from '../../../shared/endpoints/ekm/model.ts'
import { EkmPolicyWithText } from '../../../shared/endpoints/ekm/policy-model.ts'

/** PATCH /v1/keymgr/ekm/endpoints/{id}/policies: another policy of the kind the endpoint has. */
export const updatePolicies = operation(
  {
    says: 'Update EKM Endpoint Policy',
    path: EkmEndpointPath,
    body: UpdateEkmPolicy,
    answers: EkmPolicyWithText,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await updatePolicy(context, path.id, body)
    return ok(item, rev)
  },
)
