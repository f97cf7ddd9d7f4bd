import { defined, without } from '../../../base/fields.ts'
import { after, type MaybePromise } from '../../../serving/maybe-promise.ts'
import type { DecisionPolicy } from '../../../serving/policy-decision.ts'
import { policyInput } from '../../../serving/policy-input.ts'
import { policyToDecide } from '../../../serving/served-policy.ts'
import { operationOf } from '../calls.ts'
import { defaultAllows } from '../perimeter-default.ts'
import type { KaclsCall } from './call.ts'
import { forbidden } from './errors.ts'

/** A member that the tokens do not contain is absent, so that `not input.authentication.workspace_email` holds. */
function authenticationIn({ authentication }: KaclsCall) {
  if (authentication?.kind !== 'user') return {}
  const { email, workspaceEmail, claims } = authentication
  return {
    authentication: {
      email,
      ...(workspaceEmail !== undefined && { workspace_email: workspaceEmail, google_email: workspaceEmail }),
      claims: policyInput(without(claims, 'email', 'google_email')),
    },
  }
}

function authorizationIn({ authorization }: KaclsCall) {
  if (authorization === undefined) return {}
  const { email, role, resourceName, emailType, delegatedTo } = authorization
  return {
    authorization: {
      role,
      resource_name: resourceName,
      ...defined({ email, email_type: emailType, delegated_to: delegatedTo }),
    },
  }
}

const inputOf = (call: KaclsCall, perimeterId: string) => ({
  operation: operationOf(call.operation),
  perimeter_id: perimeterId,
  ...authenticationIn(call),
  ...authorizationIn(call),
})

const NANOSECONDS = 1_000_000n

function assertRegoAllows(policy: DecisionPolicy, call: KaclsCall, perimeterId: string): void {
  const { record, now, requestId: seed } = call
  const { allowed, error } = policy.decide(inputOf(call, perimeterId), { now: BigInt(now.epochMs) * NANOSECONDS, seed })
  record.policyError = error
  if (!allowed) throw forbidden(record, 'no allow')
  record.rule = 'allow'
}

/**
 * Evaluates the perimeter of the endpoint. The refusal is always the same.
 * @param perimeterId passed to the perimeter; empty for none
 * @throws KaclsRefusal FORBIDDEN
 */
export function assertWithin(call: KaclsCall, perimeterId: string): MaybePromise<void> {
  const { record, endpoint } = call
  const { perimeter } = endpoint
  record.perimeter = perimeterId || undefined
  record.policy = perimeter?.hash ?? 'default'
  if (perimeter !== undefined)
    return after(policyToDecide(perimeter), (policy) => assertRegoAllows(policy, call, perimeterId))
  if (!defaultAllows(inputOf(call, perimeterId))) throw forbidden(record, 'no allow')
  record.rule = 'allow'
}
