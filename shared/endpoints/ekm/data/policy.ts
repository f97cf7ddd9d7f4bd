import { policyToDecide, type ServedEndpoint } from './served-endpoint.ts'
import type { DecisionPolicy } from '../../../serving/policy-decision.ts'
import { EkmRefusal } from './errors.ts'
import type { Identity } from './identity.ts'
import type { RequestContext } from './request-context.ts'
import type { Trail } from './trail.ts'

/** A call as the policy is asked about it. */
export interface Asked {
  readonly operation: string
  readonly identity: Identity
  readonly context: RequestContext
  readonly epochMs: number
  /** of the request: what the policy's randomness is made of */
  readonly seed: string
}

/** What is asked of either kind of policy: undefined is another thing than empty. */
const questionOf = ({ operation, identity, context: { reason, resourceName, isKeyHealthCheck } }: Asked) => ({
  clients: identity.email,
  operation,
  isKeyHealthCheck,
  justificationReason: reason,
  resourceName: resourceName === '' ? undefined : resourceName,
})

const NANOSECONDS = 1_000_000n

/** @throws EkmRefusal PERMISSION_DENIED */
function askRaw(policy: DecisionPolicy, asked: Asked, trail: Trail): void {
  const options = { now: BigInt(asked.epochMs) * NANOSECONDS, seed: asked.seed }
  const { allowed, error } = policy.decide(questionOf(asked), options)
  trail.rule = allowed ? 'allow' : 'no allow'
  trail.policyError = error
  if (!allowed) throw new EkmRefusal('PERMISSION_DENIED')
}

/**
 * Asks the endpoint's policy; the refusal is the same whatever forbids the call, the trail says what.
 * @returns a promise only where a policy has to be compiled. @throws EkmRefusal PERMISSION_DENIED
 */
export function assertAllowed({ policy }: ServedEndpoint, asked: Asked, trail: Trail): void | Promise<void> {
  trail.policy = policy.hash
  if ('ready' in policy) {
    const broken = policy.ready(questionOf(asked))
    trail.rule = broken ?? 'allow'
    if (broken !== undefined) throw new EkmRefusal('PERMISSION_DENIED')
    return
  }
  const compiled = policyToDecide(policy)
  if (compiled instanceof Promise) return compiled.then((anew) => askRaw(anew, asked, trail))
  askRaw(compiled, asked, trail)
}
