import { testPolicy } from '../../../shared/endpoints/ekm/test-policy.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { EkmEndpointPath } from '../../../shared/endpoints/ekm/model.ts'
import { EkmPolicyDecision, TestEkmPolicy } from '../../../shared/endpoints/ekm/policy-test-model.ts'

/** POST /v1/keymgr/ekm/endpoints/{id}/policy/test: what a policy says to an input, and by which rule; nothing is kept. */
export const tryPolicy = operation(
  {
    says: 'Test EKM Endpoint Policy',
    path: EkmEndpointPath,
    body: TestEkmPolicy,
    answers: EkmPolicyDecision,
    may: 'keymgr-admins',
    reads: true,
  },
  async ({ path, body, context }) => ok(await testPolicy(context, path.id, body)),
)
