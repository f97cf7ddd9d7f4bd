import { Refusal, type BrokenField } from '../../base/errors.ts'
import type { EkmPolicy } from './policy-model.ts'
import { attestationListsIn } from './model.ts'
import { dialectOf } from '../../endpoint/policy-upload.ts'
import type { StoredEkmEndpoint } from './store.ts'
import { textOfPolicy } from './policy-text.ts'

/** Fields of an endpoint about its policy. */
export type OwnPolicy = Pick<StoredEkmEndpoint, 'raw_policy_enabled' | 'policy' | 'dialect'>

const broken = (errors: readonly BrokenField[]): Refusal =>
  new Refusal('RULE_BROKEN', 'The policy is not one that this endpoint can have.', { errors })

/** Faults of a well-formed policy: its form must match `raw_policy_enabled`, and its lists the type of endpoint. */
function faultsOf(
  isRaw: boolean,
  { basic, rego }: EkmPolicy,
  type: StoredEkmEndpoint['endpoint_type'],
  at: string,
): BrokenField[] {
  const [wanted, other] = isRaw ? (['rego', 'basic'] as const) : (['basic', 'rego'] as const)
  const has = { basic: basic !== undefined, rego: rego !== undefined }
  const lists = type === 'ekm-ude' || basic === undefined ? [] : attestationListsIn(basic)
  return [
    ...(has[wanted]
      ? []
      : [{ pointer: `${at}/${wanted}`, detail: `is required ${isRaw ? 'with' : 'without'} raw_policy_enabled` }]),
    ...(has[other]
      ? [{ pointer: `${at}/${other}`, detail: `does not go ${isRaw ? 'with' : 'without'} raw_policy_enabled` }]
      : []),
    ...lists.map((list) => ({ pointer: `${at}/basic/${list}`, detail: 'is for endpoint_type ekm-ude only' })),
  ]
}

/**
 * A policy for an endpoint of this type, compiled once to check it.
 * @param at pointer to its place in the body, `#/policy`
 * @throws Refusal RULE_BROKEN
 */
export async function ownPolicy(
  isRaw: boolean,
  policy: EkmPolicy,
  type: StoredEkmEndpoint['endpoint_type'],
  at: string,
): Promise<OwnPolicy> {
  const faults = faultsOf(isRaw, policy, type, at)
  if (faults.length > 0) throw broken(faults)
  const dialect = await dialectOf(textOfPolicy(policy), `${at}/${isRaw ? 'rego' : 'basic'}`)
  return { raw_policy_enabled: isRaw, policy, ...(isRaw && { dialect }) }
}
