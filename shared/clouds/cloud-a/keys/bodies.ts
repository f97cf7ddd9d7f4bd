import * as z from 'zod'
import { fieldsOf, isGiven, type Fields } from '../../../base/json.ts'
import { NameOrId, Time, Uuid, FreeText } from '../../../http/common-fields.ts'
import { atMostOne, withRules, type Rule } from '../../../http/rules.ts'
import { strictObject } from '../../../base/lazy-fields.ts'
import { CLOUD_A_SPECS, CLOUD_A_USAGES, KEY_TAG, POLICY_LISTS, TAGS_MOST, TEMPLATE_TAG } from './model.ts'

const ALIAS_RULE = 'must have 1 to 250 letters, digits and /_-, without the prefix alias/'

export const CloudAAlias = z
  .string()
  .min(1)
  .max(250)
  .regex(/^[a-zA-Z0-9/_-]+$/, { error: ALIAS_RULE })
  .refine((alias) => !alias.startsWith('alias/'), { error: ALIAS_RULE })
  .refine((alias) => !alias.startsWith('aws/'), {
    error: 'must not begin with aws/, which the cloud has reserved for its own keys',
  })
  .meta({ description: ALIAS_RULE })

const TAG_RULE = 'may have letters, digits and _ . / = + - @'

/** The interface's characters; a key may also contain `:`, as the cloud allows. */
const TagValue = z
  .string()
  .max(256)
  .regex(/^[A-Za-z0-9_./=+\-@]*$/, { error: `a tag value ${TAG_RULE}` })

const TagKey = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[A-Za-z0-9_./=+\-@:]+$/, { error: `a tag key ${TAG_RULE}` })

const RESERVED_TAGS: readonly string[] = [TEMPLATE_TAG, KEY_TAG]

const notReserved = (key: string): boolean => !RESERVED_TAGS.includes(key)

const NewTagKey = TagKey.refine(notReserved, { error: 'is set by the service alone' })

export const NewTags = z.array(z.strictObject({ TagKey: NewTagKey, TagValue })).max(TAGS_MOST)

export const Description = FreeText.refine((text) => text.length <= 8_192, {
  error: 'must have at most 8192 characters',
})

/** The cloud accepts 32 KiB. */
export const PolicyText = z.string().min(1).max(32_768).meta({ description: 'the policy document as JSON text' })

const Principals = z.array(z.string().min(1).max(2_048)).max(100)

export const policyInputs = {
  external_accounts: Principals.optional(),
  key_admins: Principals.optional(),
  key_admins_roles: Principals.optional(),
  key_users: Principals.optional(),
  key_users_roles: Principals.optional(),
}

/** The lists as in a request's body. */
export type PolicyLists = { readonly [List in (typeof POLICY_LISTS)[number]]?: string[] | undefined }

/** The lists that a request contains. */
export type GivenLists = { readonly [List in (typeof POLICY_LISTS)[number]]?: string[] }

const hasLists = (body: Fields): boolean => POLICY_LISTS.some((list) => isGiven(body[list]))

const paramOf = ({ cloud_a_param: param }: Fields): Fields => fieldsOf(param)

/** `Policy`, `policytemplate` and the five lists are mutually exclusive; the lists can be combined. */
export const onePolicy: Rule = {
  message: `Policy, policytemplate and the lists ${POLICY_LISTS.join(', ')} are mutually exclusive`,
  field: 'policytemplate',
  broken: (body) =>
    [isGiven(body.Policy) || isGiven(paramOf(body).Policy), isGiven(body.policytemplate), hasLists(body)].filter(
      Boolean,
    ).length > 1,
}

const rsaNeedsUsage: Rule = {
  message: 'KeyUsage must be given for RSA keys',
  field: 'cloud_a_param/KeyUsage',
  broken: (body) => {
    const { CustomerMasterKeySpec: spec, KeyUsage } = paramOf(body)
    return typeof spec === 'string' && spec.startsWith('RSA_') && !isGiven(KeyUsage)
  },
}

const expiryNeedsTime: Rule = {
  message: 'key_expiration needs ValidTo, and ValidTo needs key_expiration not to be false',
  field: 'cloud_a_param/ValidTo',
  broken: (body) => (body.key_expiration === true) !== isGiven(paramOf(body).ValidTo) && isGiven(body.key_expiration),
}

const newKeyParam = {
  Alias: CloudAAlias.optional(),
  BypassPolicyLockoutSafetyCheck: z.boolean().optional(),
  CustomerMasterKeySpec: z.enum(CLOUD_A_SPECS).default('SYMMETRIC_DEFAULT'),
  KeyUsage: z.enum(CLOUD_A_USAGES).optional(),
  Description: Description.optional(),
  MultiRegion: z.boolean().optional(),
  Policy: PolicyText.optional(),
  Tags: NewTags.optional(),
}

const where = { kms: NameOrId, region: z.string().min(1).max(32) }

export const UploadCloudAKey = withRules(
  strictObject(() => ({
    ...where,
    source_key_tier: z.literal('local').default('local'),
    source_key_identifier: NameOrId,
    key_expiration: z.boolean().optional(),
    cloud_a_param: z.strictObject({ ...newKeyParam, ValidTo: Time.optional() }).prefault({}),
    ...policyInputs,
    policytemplate: Uuid.optional(),
  })),
  onePolicy,
  rsaNeedsUsage,
  expiryNeedsTime,
)
export type UploadCloudAKey = z.infer<typeof UploadCloudAKey>

export const CreateCloudAKey = withRules(
  strictObject(() => ({
    ...where,
    cloud_a_param: z
      .strictObject({ ...newKeyParam, Origin: z.enum(['CLOUD_A_KMS', 'EXTERNAL']).default('CLOUD_A_KMS') })
      .prefault({}),
    ...policyInputs,
    policytemplate: Uuid.optional(),
  })),
  onePolicy,
  rsaNeedsUsage,
)
export type CreateCloudAKey = z.infer<typeof CreateCloudAKey>

/** A key in a key store of hardware modules: always symmetric. */
export const CreateKeyInStore = withRules(
  strictObject(() => ({
    cloud_a_param: z.strictObject({
      Alias: CloudAAlias,
      BypassPolicyLockoutSafetyCheck: z.boolean().optional(),
      Description: Description.optional(),
      Policy: PolicyText.optional(),
      Tags: NewTags.optional(),
    }),
    ...policyInputs,
    policytemplate: Uuid.optional(),
  })),
  onePolicy,
)
export type CreateKeyInStore = z.infer<typeof CreateKeyInStore>

export const expiry: Rule = {
  message: 'key_expiration needs valid_to, and valid_to needs key_expiration not to be false',
  field: 'valid_to',
  broken: ({ key_expiration, valid_to }) => isGiven(key_expiration) && (key_expiration === true) !== isGiven(valid_to),
}

export const RotateCloudAKey = withRules(
  strictObject(() => ({
    source_key_tier: z.literal('local').default('local'),
    source_key_id: NameOrId.optional(),
    disable_encrypt: z.boolean().optional(),
    disable_encrypt_on_all_accounts: z.boolean().optional(),
    description: Description.optional(),
    key_expiration: z.boolean().optional(),
    valid_to: Time.optional(),
    retain_alias: z.boolean().optional(),
  })),
  atMostOne('disable_encrypt', 'disable_encrypt_on_all_accounts'),
  expiry,
)
export type RotateCloudAKey = z.infer<typeof RotateCloudAKey>

export const ScheduleDeletion = strictObject(() => ({
  days: z.int().min(7).max(30).meta({ description: 'days until the key is deleted' }),
}))

export const AddTags = strictObject(() => ({
  tags: z
    .array(z.strictObject({ tag_key: NewTagKey, tag_value: TagValue }))
    .min(1)
    .max(TAGS_MOST),
}))

/** Names that the cloud allows, more than this service sets: other parties set tags too. */
const AnyTagKey = z.string().min(1).max(128)

export const RemoveTags = strictObject(() => ({ tags: z.array(AnyTagKey).min(1).max(TAGS_MOST) }))

export const AliasBody = z.strictObject({ alias: CloudAAlias })

export const UpdateDescription = strictObject(() => ({
  description: Description.refine((text) => text.length > 0, { error: 'must have at least 1 character' }),
}))

/** Ours: a body without any policy is refused; it does not silently reset the policy to the cloud's default. */
const somePolicy: Rule = {
  message: `one of Policy, policytemplate and the lists ${POLICY_LISTS.join(', ')} must be given`,
  field: 'Policy',
  broken: (body) => !isGiven(body.Policy) && !isGiven(body.policytemplate) && !hasLists(body),
}

export const KeyPolicyBody = withRules(
  strictObject(() => ({
    Policy: PolicyText.optional(),
    policytemplate: Uuid.optional(),
    ...policyInputs,
    BypassPolicyLockoutSafetyCheck: z.boolean().optional(),
  })),
  onePolicy,
  somePolicy,
)
export type KeyPolicyBody = z.infer<typeof KeyPolicyBody>

export const ReplicateCloudAKey = withRules(
  strictObject(() => ({
    replica_region: z.string().min(1).max(32),
    cloud_a_param: z
      .strictObject({
        Description: Description.optional(),
        Policy: PolicyText.optional(),
        Tags: NewTags.optional(),
        BypassPolicyLockoutSafetyCheck: z.boolean().optional(),
      })
      .prefault({}),
    ...policyInputs,
    policytemplate: Uuid.optional(),
    key_expiration: z.boolean().optional(),
    valid_to: Time.optional(),
  })),
  onePolicy,
  expiry,
)
export type ReplicateCloudAKey = z.infer<typeof ReplicateCloudAKey>

export const UpdatePrimaryRegion = strictObject(() => ({ PrimaryRegion: z.string().min(1).max(32) }))

/** At most one of the fields that decide what happens to the old key at each rotation may be given. */
export const EnableRotationJob = withRules(
  strictObject(() => ({
    job_config_id: Uuid,
    auto_rotate_key_source: z.literal('local').default('local'),
    auto_rotate_disable_encrypt: z.boolean().optional(),
    auto_rotate_disable_encrypt_on_all_accounts: z.boolean().optional(),
  })),
  atMostOne('auto_rotate_disable_encrypt', 'auto_rotate_disable_encrypt_on_all_accounts'),
)
export type EnableRotationJob = z.infer<typeof EnableRotationJob>

export const EnableAutoRotation = strictObject(() => ({
  rotation_period_in_days: z.int().min(90).max(2_560).default(365).meta({ description: 'days' }),
}))
