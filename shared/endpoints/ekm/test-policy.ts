import type { Context } from '../../http/context.ts'
import type { TestEkmPolicy } from './policy-test-model.ts'
import { rulesOfBasic } from './basic-policy.ts'
import type { PolicyDecision } from '../../endpoint/policy-model.ts'
import { decisionOf } from '../../endpoint/policy-test.ts'
import { findRecord } from '../../resource/records.ts'
import { dialectOfPolicy, textOfPolicy } from './policy-text.ts'
import { ownPolicy, type OwnPolicy } from './policy.ts'
import { ekmEndpointKind } from './records.ts'

/** The policy to be tested: the one in the body, or the saved one. @throws Refusal NOT_FOUND, RULE_BROKEN */
async function policyOf(
  context: Context,
  id: string,
  { policy, raw_policy_enabled: isRaw }: TestEkmPolicy,
): Promise<OwnPolicy> {
  const { item } = await findRecord(ekmEndpointKind, context, id)
  if (policy === undefined && (isRaw === undefined || isRaw === item.raw_policy_enabled)) return item
  return ownPolicy(isRaw ?? item.raw_policy_enabled, policy ?? {}, item.endpoint_type, '#/policy')
}

/**
 * The decision of a policy on an input, and the rule that decided; for a basic policy that refuses, the first condition
 * that does not hold. Ours: tests the policy alone, without the checks before it (the token, `enabled`, a required
 * confidential machine).
 * @throws Refusal NOT_FOUND, RULE_BROKEN
 */
export async function testPolicy(context: Context, id: string, body: TestEkmPolicy): Promise<PolicyDecision> {
  const own = await policyOf(context, id, body)
  const conditions = own.policy.basic === undefined ? [] : rulesOfBasic(own.policy.basic)
  const tested = { text: textOfPolicy(own.policy), dialect: dialectOfPolicy(own), conditions }
  return decisionOf(context, tested, body.input)
}
