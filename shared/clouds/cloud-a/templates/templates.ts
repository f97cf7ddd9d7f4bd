import { policyFromLists } from '../adapter/policy.ts'
import { asFound, type Context } from '../../../http/context.ts'
import { counted } from '../../../base/counted.ts'
import { Refusal, ruleBroken, nameTaken } from '../../../base/errors.ts'
import { commonFields, resourceUri, uuid } from '../../../base/ids.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import type { PolicyLists } from '../keys/bodies.ts'
import { POLICY_LISTS } from '../keys/model.ts'
import type { CreatePolicyTemplate, PolicyTemplate, UpdatePolicyTemplate } from './model.ts'
import type { StoredCloudAKms } from '../kms/store.ts'
import { policyTemplates, type StoredPolicyTemplate } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { differences, without } from '../../../base/fields.ts'
import { findContainer } from '../../../cloud/containers/find-container.ts'
import { assertActive, kmsKind } from '../kms/kind.ts'
import { listsOf, parsePolicy } from '../keys/policy-inputs.ts'
import { activeOf, anyKmsOf, findTemplate } from './find-template.ts'
import { pushTemplate, taggedKeys } from './push-template.ts'

const taken = (_kind: string, name: string): Refusal => nameTaken('policy template', name)

const AUDITED = ['name', 'kms', 'account_id', 'is_verified', ...POLICY_LISTS] as const

/** Names the template in the request's audit record; of a policy given as text only that it changed. */
function tell(
  { about }: Context,
  { uri, name }: StoredPolicyTemplate,
  before: Partial<StoredPolicyTemplate>,
  after: Partial<StoredPolicyTemplate>,
): void {
  about({ uri, name, ...differences(before, after, AUDITED), ...asFound(before) })
}

type Inputs = PolicyLists & { readonly Policy?: string | undefined }
type OwnPolicy = Pick<StoredPolicyTemplate, 'policy' | (typeof POLICY_LISTS)[number]>

/**
 * The policy that inputs come to. Of the lists only those that are given change; `undefined` without inputs.
 * @throws Refusal RULE_BROKEN
 */
function policyFrom(kms: StoredCloudAKms, inputs: Inputs, before: PolicyLists = {}): OwnPolicy | undefined {
  if (inputs.Policy !== undefined) return { policy: parsePolicy(inputs.Policy, '#/Policy') }
  const given = listsOf(inputs)
  if (given === undefined) return undefined
  const lists = { ...listsOf(before), ...given }
  return { policy: policyFromLists(kms.cloud_name, kms.account_id, lists), ...lists }
}

/** The entry a body means, or one of the account it means. @throws Refusal NOT_FOUND, STATE_CONFLICT for an archived one */
async function kmsOf(context: Context, { kms, account_id = '' }: CreatePolicyTemplate): Promise<StoredCloudAKms> {
  if (kms === undefined) return anyKmsOf(context, account_id)
  const { item } = await findContainer(kmsKind, context, kms, { pointer: '#/kms', detail: 'is not there' })
  assertActive(item)
  return item
}

/**
 * A policy under a name, of an entry or of an account. The cloud has not seen it until it is put on a key.
 * @throws Refusal NOT_FOUND, RULE_BROKEN, STATE_CONFLICT for an archived entry, NAME_TAKEN
 */
export async function createTemplate(context: Context, body: CreatePolicyTemplate): Promise<Stored<PolicyTemplate>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const kms = await kmsOf(context, body)
  const own = policyFrom(kms, body)
  if (own === undefined) throw new Error('A body without policy does not get here')
  const id = uuid(now)
  const template: StoredPolicyTemplate = {
    ...commonFields(domain, id, resourceUri(domain, 'keymgr', 'cloud-a-template', id), now),
    name: body.name,
    ...(body.kms !== undefined && { kms: kms.name, kms_id: kms.id }),
    account_id: kms.account_id,
    ...own,
    is_verified: false,
  }
  changes.create(policyTemplates, domain, template, taken)
  tell(context, template, {}, template)
  return { item: template, rev: 1 }
}

/** @throws Refusal NOT_FOUND */
export const getTemplate = async (context: Context, id: string): Promise<Stored<PolicyTemplate>> =>
  (await findTemplate(context, id)).stored

/** @throws Refusal RULE_BROKEN: keys may have the policy, and it must be said what becomes of them */
function assertSaysPush({ is_verified }: StoredPolicyTemplate, { auto_push }: UpdatePolicyTemplate): void {
  if (!is_verified || auto_push !== undefined) return
  throw ruleBroken(
    'auto_push',
    'must be given, since the template is verified: whether keys with its tag get the new policy',
  )
}

/**
 * Changes a template's policy, and with `auto_push` that of every key which carries its tag, after the request.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT for an archived entry, RULE_BROKEN
 */
export async function updateTemplate(
  context: Context,
  id: string,
  body: UpdatePolicyTemplate,
): Promise<Stored<PolicyTemplate>> {
  const { caller, changes, now } = context
  const { stored, entries } = await findTemplate(context, id)
  const { item: before, rev } = stored
  assertIfMatch(context, stored)
  const kms = activeOf(entries, before.account_id)
  assertSaysPush(before, body)
  const own = policyFrom(kms, body, before)
  const after: StoredPolicyTemplate =
    own === undefined ? before : { ...without(before, 'policy', ...POLICY_LISTS), ...own, updatedAt: now.toISOString() }
  if (own === undefined) changes.rely(policyTemplates, caller.domain.id, stored)
  else changes.update(policyTemplates, caller.domain.id, stored, after)
  if (body.auto_push === true) await pushTemplate(context, id)
  tell(context, after, before, after)
  return { item: after, rev: own === undefined ? rev : rev + 1 }
}

/** @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE while a key carries its tag */
export async function deleteTemplate(context: Context, id: string): Promise<void> {
  const { caller, changes } = context
  const { stored } = await findTemplate(context, id)
  assertIfMatch(context, stored)
  const { length } = await taggedKeys(caller.domain.id, id)
  if (length > 0)
    throw new Refusal(
      'IN_USE',
      `${counted(length, 'key carries', 'keys carry')} the template's tag: give them another policy or remove it first.`,
    )
  changes.remove(policyTemplates, caller.domain.id, stored)
  tell(context, stored.item, stored.item, {})
}
