import { hashOf } from '../../../rego/light.ts'
import type { WithPolicy } from './params.ts'

/**
 * A policy of a body as stored. The interpreter is loaded for the first one.
 * @throws Refusal RULE_BROKEN with every fault of the policy
 */
export async function storedPolicy(text: string): Promise<Required<WithPolicy>> {
  const { dialectOf } = await import('../../../endpoint/policy-upload.ts')
  const dialect = await dialectOf(text, '#/policy')
  return { policy: { text, dialect }, policy_hash: hashOf(dialect, text) }
}

/** The policy of a new record. */
export const newPolicy = async (text: string | undefined): Promise<WithPolicy> =>
  text === undefined ? {} : storedPolicy(text)

/** The record with the policy of a change: `null` removes it, `undefined` keeps it. */
export async function withNewPolicy<T extends WithPolicy>(record: T, text: string | null | undefined): Promise<T> {
  if (text === undefined) return record
  if (text !== null) return { ...record, ...(await storedPolicy(text)) }
  const { policy: _policy, policy_hash: _hash, ...rest } = record
  return rest as T // both are optional
}
