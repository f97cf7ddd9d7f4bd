import * as z from 'zod'
import { basicIn, EkmPolicy, EkmPolicyInput, needsReasons, policyIn } from './policy-model.ts'
import { withRules } from '../../http/rules.ts'
import { strictObject } from '../../base/lazy-fields.ts'

/** Tests the saved policy, or the one in the body, which is not stored. */
export const TestEkmPolicy = withRules(
  strictObject(() => ({
    input: EkmPolicyInput,
    raw_policy_enabled: z.boolean().optional().meta({ description: "the endpoint's own without it" }),
    policy: EkmPolicy.optional(),
  })),
  needsReasons((body) => basicIn(policyIn(body)), 'policy/basic/justification_reason'),
)
export type TestEkmPolicy = z.infer<typeof TestEkmPolicy>
