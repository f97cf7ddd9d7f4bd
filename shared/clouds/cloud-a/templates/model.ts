import * as z from 'zod'
import { isGiven } from '../../../base/json.ts'
import { policyInputs, PolicyText } from '../keys/bodies.ts'
import { POLICY_LISTS, shownLists } from '../keys/model.ts'
import { column, Name, NameOrId, Resource } from '../../../http/common-fields.ts'
import { anyPatterns, anyTexts, flag, listQuery } from '../../../http/lists/list-query.ts'
import { withRules, type Rule } from '../../../http/rules.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'

/** A named key policy for many keys of one account. A template that is created for an account has no entry. */
export const PolicyTemplate = extended(Resource, () => ({
  name: z.string(),
  kms: z
    .string()
    .optional()
    .meta({ ...column('container'), description: 'its entry; absent if it belongs to the account' }),
  kms_id: z.string().optional(),
  account_id: z.string(),
  policy: z.record(z.string(), z.unknown()).meta({ description: 'the policy document' }),
  ...shownLists,
  is_verified: z.boolean().meta({ description: 'whether the cloud took it for a key once' }),
}))
export type PolicyTemplate = z.infer<typeof PolicyTemplate>

const hasLists = (body: Readonly<Record<string, unknown>>): boolean => POLICY_LISTS.some((list) => isGiven(body[list]))
const policyOrLists: Rule = {
  message: `Policy and the lists ${POLICY_LISTS.join(', ')} are mutually exclusive`,
  field: 'Policy',
  broken: (body) => isGiven(body.Policy) && hasLists(body),
}

export const CreatePolicyTemplate = withRules(
  strictObject(() => ({
    name: Name,
    account_id: z
      .string()
      .regex(/^\d{12}$/, { error: 'must have 12 digits' })
      .optional()
      .meta({ description: 'the template belongs to the account, through whichever KMS entry' }),
    kms: NameOrId.optional(),
    Policy: PolicyText.optional(),
    ...policyInputs,
  })),
  policyOrLists,
  {
    message: 'exactly one of kms and account_id must be given',
    field: 'kms',
    broken: ({ kms, account_id }) => isGiven(kms) === isGiven(account_id),
  },
  {
    message: 'Policy or one of the lists must be given',
    field: 'Policy',
    broken: (body) => !isGiven(body.Policy) && !hasLists(body),
  },
)
export type CreatePolicyTemplate = z.infer<typeof CreatePolicyTemplate>

export const UpdatePolicyTemplate = withRules(
  strictObject(() => ({ Policy: PolicyText.optional(), ...policyInputs, auto_push: z.boolean().optional() })),
  policyOrLists,
)
export type UpdatePolicyTemplate = z.infer<typeof UpdatePolicyTemplate>

export const PolicyTemplateQuery = listQuery(PolicyTemplate, () => ({
  ...anyPatterns('name'),
  ...anyTexts('id', 'kms', 'account_id'),
  is_verified: flag().optional(),
}))
export type PolicyTemplateQuery = z.infer<typeof PolicyTemplateQuery>
