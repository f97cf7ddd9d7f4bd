import { isObject, jsonOf, type Fields } from '../../../base/json.ts'
import { policyFromLists } from '../adapter/policy.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal, notThere } from '../../../base/errors.ts'
import type { Stored } from '../../../store/entity.ts'
import type { GivenLists, PolicyLists } from './bodies.ts'
import { POLICY_LISTS } from './model.ts'
import { policyTemplates, type StoredPolicyTemplate } from '../templates/store.ts'
import type { StoredCloudAKms } from '../kms/store.ts'

export interface PolicyInputs extends PolicyLists {
  readonly Policy?: string | undefined
  readonly policytemplate?: string | undefined
}

/** The policy that a request's inputs result in: its text (absent: the cloud's default), and its source. */
export interface ChosenPolicy {
  readonly policy?: string
  readonly lists?: GivenLists
  readonly template?: string
}

/** The lists that a request contains; `undefined` when it contains none. */
export function listsOf(inputs: PolicyLists): GivenLists | undefined {
  const given = POLICY_LISTS.flatMap((list) => (inputs[list] === undefined ? [] : [[list, inputs[list]] as const]))
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

/** @throws Refusal RULE_BROKEN when the text is not a JSON object */
export function parsePolicy(text: string, pointer: string): Fields {
  const document = jsonOf(text)
  if (isObject(document)) return document
  throw new Refusal('RULE_BROKEN', 'Policy must be a policy document as JSON text.', {
    errors: [{ pointer, detail: 'must be a JSON object as text' }],
  })
}

/**
 * A template of the account that a container belongs to. @throws Refusal NOT_FOUND, RULE_BROKEN for another account's
 */
export async function findTemplateFor(
  { caller }: Pick<Context, 'caller'>,
  kms: StoredCloudAKms,
  id: string,
  pointer = '#/policytemplate',
): Promise<Stored<StoredPolicyTemplate>> {
  const stored = await policyTemplates.get(caller.domain.id, id)
  if (stored === undefined) throw notThere('There is no such policy template.', { pointer, detail: 'is not there' })
  if (stored.item.account_id !== kms.account_id)
    throw new Refusal('RULE_BROKEN', `The policy template is for the account ${stored.item.account_id}.`, {
      errors: [{ pointer, detail: `must be a template for the account ${kms.account_id}` }],
    })
  return stored
}

/** @param pointer of the field `Policy` in the body @throws Refusal NOT_FOUND, RULE_BROKEN */
export async function choosePolicy(
  context: Pick<Context, 'caller'>,
  kms: StoredCloudAKms,
  inputs: PolicyInputs,
  pointer = '#/cloud_a_param/Policy',
): Promise<ChosenPolicy> {
  if (inputs.Policy !== undefined) {
    parsePolicy(inputs.Policy, pointer)
    return { policy: inputs.Policy }
  }
  if (inputs.policytemplate !== undefined) {
    const { item } = await findTemplateFor(context, kms, inputs.policytemplate)
    return { policy: JSON.stringify(item.policy), template: item.id }
  }
  const lists = listsOf(inputs)
  if (lists === undefined) return {}
  return { policy: JSON.stringify(policyFromLists(kms.cloud_name, kms.account_id, lists)), lists }
}

/**
 * Stages that the cloud accepted a template's policy for a key: from now on, changes of the template must consider its
 * keys.
 */
export async function noteVerified(
  { caller, changes }: Pick<Context, 'caller' | 'changes'>,
  id: string,
): Promise<void> {
  const stored = await policyTemplates.get(caller.domain.id, id)
  if (stored?.item.is_verified === false)
    changes.update(policyTemplates, caller.domain.id, stored, { ...stored.item, is_verified: true })
}
