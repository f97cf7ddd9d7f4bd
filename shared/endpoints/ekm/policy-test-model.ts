import * as z from 'zod'
import { basicIn, EkmPolicy, EkmPolicyInput, needsReasons, policyIn } from './policy-model.ts'
import { withRules } from '../../http/rules.ts'

/** Tests the saved policy unless the body has one; that one is not stored. */
export const TestEkmPolicy = withRules(
  z.strictObject({
    input: EkmPolicyInput,
    raw_policy_enabled: z.boolean().optional().meta({ description: "the endpoint's own without it" }),
    policy: EkmPolicy.optional(),
  }),
  needsReasons((body) => basicIn(policyIn(body)), 'policy/basic/justification_reason'),
)
export type TestEkmPolicy = z.infer<typeof TestEkmPolicy>

/**
 * The decision. `rule`: `allow` where it holds; else the first condition of a basic policy that does not hold, or the
 * default.
 */
export const EkmPolicyDecision = z.object({
  allowed: z.boolean(),
  decided_by: z.object({
    rule: z.string(),
    line: z.int().optional().meta({ description: 'of the rule in raw_policy, from 1' }),
  }),
  error: z.object({ code: z.string() }).optional().meta({ description: 'why the policy gave no answer' }),
  raw_policy: z.string(),
})
export type EkmPolicyDecision = z.infer<typeof EkmPolicyDecision>
