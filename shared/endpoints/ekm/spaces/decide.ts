import { compiledPolicy, decide } from '../../../serving/policy-decision.ts'
import { dialectOfPolicy, textOfPolicy } from '../policy-text.ts'
import type { RequestContext } from '../data/request-context.ts'
import type { StoredCryptoSpace } from './store.ts'

/** A call on a space by an authenticated caller. */
export interface SpaceQuestion {
  readonly email: string
  readonly context: RequestContext
  readonly now: Date
  readonly requestId: string
}

/** Whether the policy of a space allows an operation. Without a policy nothing is allowed. */
export async function isAllowed(
  { policy, dialect }: StoredCryptoSpace,
  operation: string,
  { email, context, now, requestId: seed }: SpaceQuestion,
): Promise<boolean> {
  if (policy === undefined) return false
  const compiled = await compiledPolicy(textOfPolicy(policy), dialectOfPolicy({ dialect }))
  const input = {
    clients: email,
    operation,
    isKeyHealthCheck: context.isKeyHealthCheck,
    justificationReason: context.reason,
    resourceName: context.resourceName === '' ? undefined : context.resourceName,
  }
  return decide(compiled, { input, now, seed }).allowed
}
