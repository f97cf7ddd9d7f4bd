import * as z from 'zod'
import { isObject } from '../../../base/json.ts'
import { CloudAAlias, Description, NewTags, onePolicy, policyInputs, PolicyText } from '../keys/bodies.ts'
import { NameOrId, Uuid } from '../../../http/common-fields.ts'
import { withRules } from '../../../http/rules.ts'
import { strictObject } from '../../../base/lazy-fields.ts'

/** Settings of the cloud's key in front of a hosted one; its other properties are fixed. */
const HostedKeyParam = strictObject(() => ({
  Alias: CloudAAlias.optional(),
  Description: Description.optional(),
  Policy: PolicyText.optional(),
  Tags: NewTags.optional(),
}))
const wishes = { ...policyInputs, policytemplate: Uuid.optional() }

/** Settings of the cloud's key from the creation of a hosted key, stored until it is linked. */
export const HostedKeyWishes = z.object({ cloud_a_param: HostedKeyParam, ...wishes })
export type HostedKeyWishes = z.infer<typeof HostedKeyWishes>

export const CreateHostedKey = withRules(
  strictObject(() => ({
    local_hosted_params: z.strictObject({
      custom_key_store_id: Uuid,
      source_key_id: NameOrId,
      source_key_tier: z.literal('local').default('local'),
      blocked: z
        .boolean()
        .default(false)
        .meta({ description: 'refused with linked_state: the cloud would get the answer that the key is disabled' }),
      linked_state: z.boolean().default(false),
    }),
    cloud_a_param: HostedKeyParam.prefault({}),
    ...wishes,
  })),
  onePolicy,
  {
    message: 'a key that is blocked cannot be linked: the cloud would be told that it is disabled',
    field: 'local_hosted_params/blocked',
    broken: ({ local_hosted_params: params }) =>
      isObject(params) && params.blocked === true && params.linked_state === true,
  },
)
export type CreateHostedKey = z.infer<typeof CreateHostedKey>

/** Ours: absent fields have the values of the creation. */
export const LinkHostedKey = strictObject(() => ({
  cloud_a_param: HostedKeyParam.prefault({}),
  BypassPolicyLockoutSafetyCheck: z.boolean().optional(),
}))
export type LinkHostedKey = z.infer<typeof LinkHostedKey>
