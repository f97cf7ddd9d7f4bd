import { policyFromLists } from '../adapter/policy.ts'
import type { Context } from '../../../http/context.ts'
import { isKeymgrAdmin } from '../../../http/permission.ts'
import { counted } from '../../../base/counted.ts'
import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { resourceUri } from '../../../base/ids.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import { stageNext, tell } from '../../../resource/records.ts'
import { resource } from '../../../resource/resource.ts'
import type { PolicyLists } from '../keys/bodies.ts'
import { POLICY_LISTS } from '../keys/model.ts'
import { CreatePolicyTemplate, PolicyTemplate, PolicyTemplateQuery, type UpdatePolicyTemplate } from './model.ts'
import type { StoredCloudAKms } from '../kms/store.ts'
import { policyTemplates, type StoredPolicyTemplate } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { without } from '../../../base/fields.ts'
import { findContainer } from '../../../cloud/containers/find-container.ts'
import { assertActive, kmsKind } from '../kms/kind.ts'
import { listsOf, parsePolicy } from '../keys/policy-inputs.ts'
import { activeOf, anyKmsOf, findTemplate, visibleTest } from './find-template.ts'
import { pushTemplate, taggedKeys } from './push-template.ts'

/**
 * Named key policies, of an entry or of an account. For a policy that is given as text, audit records only show that it
 * changed. The cloud validates a new policy when it is first applied to a key. Users see the templates of the entries
 * that they may see.
 */
export const templates = resource({
  entity: policyTemplates,
  noun: 'policy template',
  title: 'Cloud-a Policy Template',
  at: '/v1/keymgr/cloud-a/templates',
  reads: 'keymgr-users',
  changes: 'keymgr-admins',
  answers: PolicyTemplate,
  query: PolicyTemplateQuery,
  createBody: CreatePolicyTemplate,
  uri: (domain, id) => resourceUri(domain, 'keymgr', 'cloud-a-template', id),
  find: async (reader, id) => (await findTemplate(reader, id)).stored,
  audited: ['name', 'kms', 'account_id', 'is_verified', ...POLICY_LISTS],
  narrow: async (context, { kms }) => ({
    answered: ['kms'],
    tests: [
      isKeymgrAdmin(context.caller) ? undefined : await visibleTest(context),
      kms && ((row) => [row.kms, row.kms_id].some((one) => one !== undefined && kms.includes(one))),
    ],
  }),
  make: async (context, body, common) => {
    const kms = await kmsOf(context, body)
    const own = policyFrom(kms, body)
    if (own === undefined) throw new Error('A body without policy does not get here')
    return {
      ...common,
      name: body.name,
      ...(body.kms !== undefined && { kms: kms.name, kms_id: kms.id }),
      account_id: kms.account_id,
      ...own,
      is_verified: false,
    }
  },
  release: async ({ caller }, { id }) => {
    const { length } = await taggedKeys(caller.domain.id, id)
    if (length > 0)
      throw new Refusal(
        'IN_USE',
        `${counted(length, 'key carries', 'keys carry')} the template's tag: give them another policy or remove it first.`,
      )
  },
})

type Inputs = PolicyLists & { readonly Policy?: string | undefined }
type OwnPolicy = Pick<StoredPolicyTemplate, 'policy' | (typeof POLICY_LISTS)[number]>

/**
 * The policy that results from inputs. Only the given lists change; `undefined` without inputs.
 * @throws Refusal RULE_BROKEN
 */
function policyFrom(kms: StoredCloudAKms, inputs: Inputs, before: PolicyLists = {}): OwnPolicy | undefined {
  if (inputs.Policy !== undefined) return { policy: parsePolicy(inputs.Policy, '#/Policy') }
  const given = listsOf(inputs)
  if (given === undefined) return undefined
  const lists = { ...listsOf(before), ...given }
  return { policy: policyFromLists(kms.cloud_name, kms.account_id, lists), ...lists }
}

/** The entry in a body, or one of the account in it. @throws Refusal NOT_FOUND, STATE_CONFLICT for an archived one */
async function kmsOf(context: Context, { kms, account_id = '' }: CreatePolicyTemplate): Promise<StoredCloudAKms> {
  if (kms === undefined) return anyKmsOf(context, account_id)
  const { item } = await findContainer(kmsKind, context, kms, { pointer: '#/kms', detail: 'is not there' })
  assertActive(item)
  return item
}

/** @throws Refusal RULE_BROKEN: keys may have the policy, so the request must state whether they get the new one */
function assertSaysPush({ is_verified }: StoredPolicyTemplate, { auto_push }: UpdatePolicyTemplate): void {
  if (!is_verified || auto_push !== undefined) return
  throw ruleBroken(
    'auto_push',
    'must be given, since the template is verified: whether keys with its tag get the new policy',
  )
}

/**
 * Changes a template's policy, and with `auto_push` that of every key with its tag, after the request.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT for an archived entry, RULE_BROKEN
 */
export async function updateTemplate(
  context: Context,
  id: string,
  body: UpdatePolicyTemplate,
): Promise<Stored<PolicyTemplate>> {
  const { stored, entries } = await findTemplate(context, id)
  const { item: before } = stored
  assertIfMatch(context, stored)
  const kms = activeOf(entries, before.account_id)
  assertSaysPush(before, body)
  const own = policyFrom(kms, body, before)
  if (body.auto_push === true) await pushTemplate(context, id)
  if (own !== undefined)
    return stageNext(templates, context, stored, { ...without(before, 'policy', ...POLICY_LISTS), ...own })
  context.changes.rely(policyTemplates, context.caller.domain.id, stored)
  tell(templates, context, before, before)
  return stored
}
