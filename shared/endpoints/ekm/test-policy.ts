import type { Context } from '../../http/context.ts'
import type { EkmPolicyDecision, TestEkmPolicy } from './policy-test-model.ts'
import { rulesOfBasic } from './basic-policy.ts'
import { compiledPolicy, decide, explain } from '../../serving/policy-decision.ts'
import { findRecord } from '../../serving/managed/records.ts'
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
 * The decision of a policy on an input, and the rule behind it; for a basic policy that refuses, the first condition
 * that does not hold. Ours: tests the policy alone, without the checks before it (the token, `enabled`, a required
 * confidential machine).
 * @throws Refusal NOT_FOUND, RULE_BROKEN
 */
export async function testPolicy(context: Context, id: string, body: TestEkmPolicy): Promise<EkmPolicyDecision> {
  const own = await policyOf(context, id, body)
  const text = textOfPolicy(own.policy)
  const compiled = await compiledPolicy(text, dialectOfPolicy(own))
  const question = { input: body.input, now: context.now, seed: context.traceId }
  const { allowed, error } = decide(compiled, question)
  const conditions = own.policy.basic === undefined ? [] : rulesOfBasic(own.policy.basic)
  const decided_by = error === undefined ? await explain(compiled, text, conditions, question) : { rule: 'error' }
  return { allowed, decided_by, ...(error !== undefined && { error: { code: error } }), raw_policy: text }
}
