import { isConfidential } from '../../../attestation/facts.ts'
import { after, type MaybePromise } from '../../../serving/maybe-promise.ts'
import type { DecisionPolicy } from '../../../serving/policy-decision.ts'
import { policyToDecide } from '../../../serving/served-policy.ts'
import { EkmRefusal } from './errors.ts'
import type { EkmCall, EkmVerb } from './verbs.ts'

/** The input of either kind of policy. An undefined member differs from an empty one. */
const questionOf = ({
  operation,
  identity,
  attested,
  context: { reason, resourceName, isKeyHealthCheck },
}: EkmCall) => ({
  clients: identity.email,
  operation,
  isKeyHealthCheck,
  justificationReason: reason,
  resourceName: resourceName === '' ? undefined : resourceName,
  attestation: attested && {
    instance_name: attested.instance_name,
    project_id: attested.project_id,
    zone: attested.zone,
    technology: attested.technology,
  },
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
function assertAllowed(call: EkmCall): MaybePromise<void> {
  const { endpoint, record } = call
  const { policy } = endpoint
  record.policy = policy.hash
  if (!('ready' in policy)) return after(policyToDecide(policy), (compiled) => assertRegoAllows(compiled, call))
  const broken = policy.ready(questionOf(call))
  record.rule = broken ?? 'allow'
  if (broken !== undefined) throw new EkmRefusal('PERMISSION_DENIED')
}

/** An operation that is reserved for confidential machines is refused to all others. */
function assertConfidential({ endpoint, attested, record }: EkmCall, { confidential }: EkmVerb): void {
  if (confidential === undefined || !endpoint.confidential[confidential]) return
  if (attested !== undefined && isConfidential(attested)) return
  record.rule = `cvm_required_for_${confidential}`
  throw new EkmRefusal('PERMISSION_DENIED')
}

/** Checks the settings of the endpoint, then its policy, then the kind of its key. @throws EkmRefusal */
export function permit(call: EkmCall, verb: EkmVerb): MaybePromise<void> {
  assertConfidential(call, verb)
  return after(assertAllowed(call), () => {
    if (verb.keyType !== undefined && verb.keyType !== call.endpoint.keyType)
      throw new EkmRefusal('FAILED_PRECONDITION')
  })
}
