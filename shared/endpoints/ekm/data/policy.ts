import { after, type MaybePromise } from '../../../serving/maybe-promise.ts'
import type { DecisionPolicy } from '../../../serving/policy-decision.ts'
import { policyToDecide } from '../../../serving/served-policy.ts'
import { EkmRefusal } from './errors.ts'
import type { EkmCall } from './verbs.ts'

/** The input of either kind of policy. An undefined member differs from an empty one. */
const questionOf = ({ operation, identity, context: { reason, resourceName, isKeyHealthCheck } }: EkmCall) => ({
  clients: identity.email,
  operation,
  isKeyHealthCheck,
  justificationReason: reason,
  resourceName: resourceName === '' ? undefined : resourceName,
})

const NANOSECONDS = 1_000_000n

/** @throws EkmRefusal PERMISSION_DENIED */
function assertRegoAllows(policy: DecisionPolicy, call: EkmCall): void {
  const { record, now, requestId: seed } = call
  const { allowed, error } = policy.decide(questionOf(call), { now: BigInt(now.epochMs) * NANOSECONDS, seed })
  record.rule = allowed ? 'allow' : 'no allow'
  record.policyError = error
  if (!allowed) throw new EkmRefusal('PERMISSION_DENIED')
}

/**
 * Evaluates the endpoint's policy. The refusal is always the same; the record names the rule.
 * @throws EkmRefusal PERMISSION_DENIED
 */
export function assertAllowed(call: EkmCall): MaybePromise<void> {
  const { endpoint, record } = call
  const { policy } = endpoint
  record.policy = policy.hash
  if (!('ready' in policy)) return after(policyToDecide(policy), (compiled) => assertRegoAllows(compiled, call))
  const broken = policy.ready(questionOf(call))
  record.rule = broken ?? 'allow'
  if (broken !== undefined) throw new EkmRefusal('PERMISSION_DENIED')
}
