import { after, type MaybePromise } from '../../../../serving/maybe-promise.ts'
import type { PolicyInput } from '../../../../serving/policy-input.ts'
import { policyInput } from '../../../../serving/policy-input.ts'
import { policyToDecide, type ServedPolicy } from '../../../../serving/served-policy.ts'
import { ExternalRefusal } from './errors.ts'
import { clientOf } from './token.ts'
import type { ExternalCall } from './verbs.ts'

const NANOSECONDS = 1_000_000n

/** The input of both policies. */
const questionOf = ({ operation, vault, key, claims }: ExternalCall): PolicyInput => ({
  operation,
  client: clientOf(claims),
  vault: { id: vault.id, name: vault.name },
  key: key && { id: key.id, name: key.name },
  claims: policyInput(claims),
})

function decide(policy: ServedPolicy | undefined, call: ExternalCall): MaybePromise<void> {
  if (policy === undefined) return undefined
  const { record, now, requestId: seed } = call
  record.policy = policy.hash
  return after(policyToDecide(policy), (compiled) => {
    const { allowed, error } = compiled.decide(questionOf(call), { now: BigInt(now.epochMs) * NANOSECONDS, seed })
    record.rule = allowed ? 'allow' : 'no allow'
    record.policyError = error
    if (!allowed) throw new ExternalRefusal('FORBIDDEN')
  })
}

/** The vault's policy, then the key's. The refusal is always the same. @throws ExternalRefusal FORBIDDEN */
export const assertAllowed = (call: ExternalCall): MaybePromise<void> =>
  after(decide(call.vault.policy, call), () => decide(call.key?.policy, call))
