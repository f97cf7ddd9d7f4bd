import * as z from 'zod'
import { fieldsOf, isGiven, type Fields } from '../../../base/json.ts'
import { NameOrId, Resource, Time, Uuid, FreeText } from '../../../http/common-fields.ts'
import { anyOf, anyText, flag, listQuery, oneText, time } from '../../../http/list-query.ts'
import { atMostOne, withRules, type Rule } from '../../../http/rules.ts'

export const CLOUD_A_NAMES = ['cloud-a', 'cloud-a-gov', 'cloud-a-cn'] as const
export type CloudAName = (typeof CLOUD_A_NAMES)[number]

/** Kinds of key the interface lets one make; the cloud may hold others, which are read as they are. */
export const CLOUD_A_SPECS = [
  'SYMMETRIC_DEFAULT',
  'RSA_2048',
  'RSA_3072',
  'RSA_4096',
  'ECC_NIST_P256',
  'ECC_NIST_P384',
  'ECC_NIST_P521',
  'ECC_SECG_P256K1',
  'HMAC_224',
  'HMAC_256',
  'HMAC_384',
  'HMAC_512',
] as const
export type CloudASpec = (typeof CLOUD_A_SPECS)[number]
export const CLOUD_A_USAGES = ['ENCRYPT_DECRYPT', 'SIGN_VERIFY', 'GENERATE_VERIFY_MAC'] as const
export type CloudAUsage = (typeof CLOUD_A_USAGES)[number]

const CloudATag = z.object({ TagKey: z.string(), TagValue: z.string() })
const MultiRegionKey = z.object({ Arn: z.string(), Region: z.string() })

/**
 * The cloud's description of a key, in its own spelling (interface "Cloud-a key"). Ours: aliases without the cloud's
 * `alias/` prefix, as every call takes them; `Origin` and `KeyManager` in neutral words; tags and aliases sorted.
 */
export const CloudAParam = z.object({
  AccountId: z.string(),
  Arn: z.string(),
  KeyID: z.string(),
  CustomerMasterKeySpec: z.string(),
  KeyUsage: z.string().optional(),
  KeyState: z.string(),
  Enabled: z.boolean(),
  KeyManager: z.string().optional().meta({ description: 'CUSTOMER, or CLOUD_A for keys the cloud keeps for itself' }),
  Origin: z.string().optional().meta({ description: 'EXTERNAL, CLOUD_A_KMS, CLOUD_A_HSM or EXTERNAL_KEY_STORE' }),
  Description: z.string().optional(),
  CreationDate: z.string().optional(),
  DeletionDate: z.string().optional(),
  ValidTo: z.string().optional(),
  ExpirationModel: z.string().optional(),
  EncryptionAlgorithms: z.array(z.string()).optional(),
  SigningAlgorithms: z.array(z.string()).optional(),
  MacAlgorithms: z.array(z.string()).optional(),
  KeyAgreementAlgorithms: z.array(z.string()).optional(),
  MultiRegion: z.boolean().optional(),
  MultiRegionConfiguration: z
    .object({
      MultiRegionKeyType: z.string().optional(),
      PrimaryKey: MultiRegionKey.partial().optional(),
      ReplicaKeys: z.array(MultiRegionKey.partial()).optional(),
    })
    .optional(),
  XksKeyConfiguration: z.object({ Id: z.string() }).optional(),
  CurrentKeyMaterialId: z.string().optional(),
  CustomKeyStoreId: z.string().optional(),
  Policy: z.record(z.string(), z.unknown()).optional(),
  Alias: z.array(z.string()),
  Tags: z.array(CloudATag),
  KeyRotationEnabled: z.boolean().optional(),
  RotationPeriodInDays: z.int().optional(),
  NextRotationDate: z.string().optional(),
  OnDemandRotationStartDate: z.string().optional(),
})
export type CloudAParam = z.infer<typeof CloudAParam>

/** What a rotation job configuration left with a key. */
const RotationLabels = z.object({
  job_config_id: z.string(),
  auto_rotate_key_source: z.literal('local'),
  auto_rotate_disable_encrypt: z.boolean().optional(),
  auto_rotate_disable_encrypt_on_all_accounts: z.boolean().optional(),
})

/** Who may administer and use a key, as names or ARNs: what a policy is made of. */
export const POLICY_LISTS = [
  'external_accounts',
  'key_admins',
  'key_admins_roles',
  'key_users',
  'key_users_roles',
] as const
export const shownLists = {
  external_accounts: z.array(z.string()).optional(),
  key_admins: z.array(z.string()).optional(),
  key_admins_roles: z.array(z.string()).optional(),
  key_users: z.array(z.string()).optional(),
  key_users_roles: z.array(z.string()).optional(),
}

/** `keymgr`: our material; `native`: made by the cloud; `unknown`: imported there by somebody else. */
export const MATERIAL_ORIGINS = ['keymgr', 'native', 'unknown'] as const
/** Empty for a key that was never part of a rotation (interface "Cloud-a key"). */
export const ROTATION_STATUSES = ['', 'ACTIVE', 'ROTATED', 'FAILED'] as const

/** Of a key whose material stays here: the store it is called through, and the local key behind it. */
export const HostedParams = z.object({
  blocked: z.boolean(),
  linked_state: z.boolean(),
  source_key_id: z.string(),
  source_key_tier: z.literal('local'),
  custom_key_store_id: z.string(),
})

export const CloudAKey = Resource.extend({
  kms_id: z.string(),
  kms: z.string(),
  region: z.string(),
  cloud_name: z.enum(CLOUD_A_NAMES),
  key_type: z.string().meta({ description: 'symmetric, asymmetric or hmac' }),
  basic_view_enabled: z.boolean(),
  gone: z.boolean(),
  synced_at: Time,
  key_material_origin: z.enum(MATERIAL_ORIGINS),
  key_source: z.string().optional(),
  key_source_container_id: z.string().optional(),
  key_source_container_name: z.string().optional(),
  local_key_id: z.string().optional(),
  local_key_name: z.string().optional(),
  rotated_at: Time.optional(),
  rotated_from: z.string().optional(),
  rotated_to: z.string().optional(),
  rotation_status: z.enum(ROTATION_STATUSES),
  deletion_date: Time.optional(),
  labels: RotationLabels.optional(),
  policy_template_id: z.string().optional(),
  ...shownLists,
  custom_key_store_id: z.string().optional(),
  local_hosted_params: HostedParams.optional(),
  cloud_a_param: CloudAParam,
})
export type CloudAKey = z.infer<typeof CloudAKey>

export const CloudAKeyPath = z.strictObject({ id: Uuid })

const ALIAS_RULE = 'must have 1 to 250 letters, digits and /_-, without the prefix alias/'
export const CloudAAlias = z
  .string()
  .min(1)
  .max(250)
  .regex(/^[a-zA-Z0-9/_-]+$/, { error: ALIAS_RULE })
  .refine((alias) => !alias.startsWith('alias/') && !alias.startsWith('aws/'), { error: ALIAS_RULE })
  .meta({ description: ALIAS_RULE })
const TAG_RULE = 'may have letters, digits and _ . / = + - @'
/** The interface's characters; a key may also have `:`, which the cloud allows there. */
const TagValue = z
  .string()
  .max(256)
  .regex(/^[A-Za-z0-9_./=+\-@]*$/, { error: `a tag value ${TAG_RULE}` })
const TagKey = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[A-Za-z0-9_./=+\-@:]+$/, { error: `a tag key ${TAG_RULE}` })
/** The tag that says which template made a key's policy; only the service sets it. */
export const TEMPLATE_TAG = 'keymgr_policy_template_id'
/** The tag that says which record of ours a key belongs to; only the service sets it. */
export const KEY_TAG = 'keymgr_key_id'
const RESERVED_TAGS: readonly string[] = [TEMPLATE_TAG, KEY_TAG]
const notReserved = (key: string): boolean => !RESERVED_TAGS.includes(key)
const NewTagKey = TagKey.refine(notReserved, { error: 'is set by the service alone' })
export const TAGS_MOST = 50
export const NewTags = z.array(z.strictObject({ TagKey: NewTagKey, TagValue })).max(TAGS_MOST - RESERVED_TAGS.length)
export const Description = FreeText.refine((text) => text.length <= 8_192, {
  error: 'must have at most 8192 characters',
})
/** The cloud takes 32 KiB. */
export const PolicyText = z.string().min(1).max(32_768).meta({ description: 'the policy document as JSON text' })
const Principals = z.array(z.string().min(1).max(2_048)).max(100)
export const policyInputs = {
  external_accounts: Principals.optional(),
  key_admins: Principals.optional(),
  key_admins_roles: Principals.optional(),
  key_users: Principals.optional(),
  key_users_roles: Principals.optional(),
}
/** As a request brings them. */
export type PolicyLists = { readonly [List in (typeof POLICY_LISTS)[number]]?: string[] | undefined }
/** Those that were given. */
export type GivenLists = { readonly [List in (typeof POLICY_LISTS)[number]]?: string[] }

const hasLists = (body: Fields): boolean => POLICY_LISTS.some((list) => isGiven(body[list]))
const paramOf = ({ cloud_a_param: param }: Fields): Fields => fieldsOf(param)

/** `Policy`, `policytemplate` and the five lists exclude each other; the lists go together. */
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
  z.strictObject({
    ...where,
    source_key_tier: z.literal('local').default('local'),
    source_key_identifier: NameOrId,
    key_expiration: z.boolean().optional(),
    cloud_a_param: z.strictObject({ ...newKeyParam, ValidTo: Time.optional() }).prefault({}),
    ...policyInputs,
    policytemplate: Uuid.optional(),
  }),
  onePolicy,
  rsaNeedsUsage,
  expiryNeedsTime,
)
export type UploadCloudAKey = z.infer<typeof UploadCloudAKey>

export const CreateCloudAKey = withRules(
  z.strictObject({
    ...where,
    cloud_a_param: z
      .strictObject({ ...newKeyParam, Origin: z.enum(['CLOUD_A_KMS', 'EXTERNAL']).default('CLOUD_A_KMS') })
      .prefault({}),
    ...policyInputs,
    policytemplate: Uuid.optional(),
  }),
  onePolicy,
  rsaNeedsUsage,
)
export type CreateCloudAKey = z.infer<typeof CreateCloudAKey>

/** A key in a key store of hardware modules: symmetric, whatever else the cloud has. */
export const CreateKeyInStore = withRules(
  z.strictObject({
    cloud_a_param: z.strictObject({
      Alias: CloudAAlias,
      BypassPolicyLockoutSafetyCheck: z.boolean().optional(),
      Description: Description.optional(),
      Policy: PolicyText.optional(),
      Tags: NewTags.optional(),
    }),
    ...policyInputs,
    policytemplate: Uuid.optional(),
  }),
  onePolicy,
)
export type CreateKeyInStore = z.infer<typeof CreateKeyInStore>

const expiry: Rule = {
  message: 'key_expiration needs valid_to, and valid_to needs key_expiration not to be false',
  field: 'valid_to',
  broken: ({ key_expiration, valid_to }) => isGiven(key_expiration) && (key_expiration === true) !== isGiven(valid_to),
}

export const RotateCloudAKey = withRules(
  z.strictObject({
    source_key_tier: z.literal('local').default('local'),
    source_key_id: NameOrId.optional(),
    disable_encrypt: z.boolean().optional(),
    disable_encrypt_on_all_accounts: z.boolean().optional(),
    description: Description.optional(),
    key_expiration: z.boolean().optional(),
    valid_to: Time.optional(),
    retain_alias: z.boolean().optional(),
  }),
  atMostOne('disable_encrypt', 'disable_encrypt_on_all_accounts'),
  expiry,
)
export type RotateCloudAKey = z.infer<typeof RotateCloudAKey>

export const ScheduleDeletion = z.strictObject({ days: z.int().min(7).max(30) })
export const AddTags = z.strictObject({
  tags: z
    .array(z.strictObject({ tag_key: NewTagKey, tag_value: TagValue }))
    .min(1)
    .max(TAGS_MOST),
})
/** Whatever the cloud allows, which is more than we let be set: others set tags too. */
const AnyTagKey = z.string().min(1).max(128)
export const RemoveTags = z.strictObject({ tags: z.array(AnyTagKey).min(1).max(TAGS_MOST) })
export const AliasBody = z.strictObject({ alias: CloudAAlias })
export const UpdateDescription = z.strictObject({
  description: Description.refine((text) => text.length > 0, { error: 'must have at least 1 character' }),
})
/** Ours: nothing at all is refused, and does not quietly put the cloud's default in a policy's place. */
const somePolicy: Rule = {
  message: `one of Policy, policytemplate and the lists ${POLICY_LISTS.join(', ')} must be given`,
  field: 'Policy',
  broken: (body) => !isGiven(body.Policy) && !isGiven(body.policytemplate) && !hasLists(body),
}
export const KeyPolicyBody = withRules(
  z.strictObject({
    Policy: PolicyText.optional(),
    policytemplate: Uuid.optional(),
    ...policyInputs,
    BypassPolicyLockoutSafetyCheck: z.boolean().optional(),
  }),
  onePolicy,
  somePolicy,
)
export type KeyPolicyBody = z.infer<typeof KeyPolicyBody>
export const ImportMaterial = withRules(
  z.strictObject({
    source_key_identifier: NameOrId.optional(),
    source_key_tier: z.literal('local').default('local'),
    key_expiration: z.boolean().optional(),
    valid_to: Time.optional(),
    import_type: z.enum(['NEW_KEY_MATERIAL', 'EXISTING_KEY_MATERIAL']).optional(),
    key_material_description: z.string().min(1).max(256).optional(),
    key_material_id: z
      .string()
      .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hex characters' })
      .optional(),
  }),
  expiry,
  {
    message: 'key_material_id names material that was there: it does not go with NEW_KEY_MATERIAL',
    field: 'key_material_id',
    broken: ({ import_type, key_material_id }) => import_type === 'NEW_KEY_MATERIAL' && isGiven(key_material_id),
  },
)
export type ImportMaterial = z.infer<typeof ImportMaterial>
export const DeleteMaterial = z.strictObject({
  key_material_id: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hex characters' })
    .optional(),
})
export const RotateMaterial = withRules(
  z.strictObject({
    source_key_identifier: NameOrId.optional(),
    key_expiration: z.boolean().optional(),
    valid_to: Time.optional(),
  }),
  expiry,
)
export type RotateMaterial = z.infer<typeof RotateMaterial>
export const ReplicateCloudAKey = withRules(
  z.strictObject({
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
  }),
  onePolicy,
  expiry,
)
export type ReplicateCloudAKey = z.infer<typeof ReplicateCloudAKey>
export const UpdatePrimaryRegion = z.strictObject({ PrimaryRegion: z.string().min(1).max(32) })
/** The old key's lot at each rotation is said at most once. */
export const EnableRotationJob = withRules(
  z.strictObject({
    job_config_id: Uuid,
    auto_rotate_key_source: z.literal('local').default('local'),
    auto_rotate_disable_encrypt: z.boolean().optional(),
    auto_rotate_disable_encrypt_on_all_accounts: z.boolean().optional(),
  }),
  atMostOne('auto_rotate_disable_encrypt', 'auto_rotate_disable_encrypt_on_all_accounts'),
)
export type EnableRotationJob = z.infer<typeof EnableRotationJob>
export const EnableAutoRotation = z.strictObject({
  rotation_period_in_days: z.int().min(90).max(2_560).default(365),
})
export const CloudAKeyQuery = listQuery(['createdAt', 'region', 'key_state', 'customer_master_key_spec'], {
  id: anyText().optional(),
  keyid: anyText().optional(),
  arn: anyText().optional(),
  alias: anyText().optional(),
  kms: anyText().optional(),
  kms_id: anyText().optional(),
  region: anyText().optional(),
  account_id: anyText().optional(),
  cloud_name: anyOf(CLOUD_A_NAMES).optional(),
  key_state: anyText().optional(),
  enabled: flag().optional(),
  origin: anyText().optional(),
  customer_master_key_spec: anyText().optional(),
  key_usage: anyText().optional(),
  key_manager: anyText().optional(),
  tags: oneText().optional().meta({ description: 'a selector such as a=b,c: tags that must all be there' }),
  gone: flag().optional(),
  multi_region: flag().optional(),
  multi_region_key_type: anyOf(['PRIMARY', 'REPLICA']).optional(),
  key_material_origin: anyOf(MATERIAL_ORIGINS).optional(),
  rotation_job_enabled: flag().optional(),
  job_config_id: anyText().optional(),
  custom_key_store_id: anyText().optional(),
  linked_state: flag().optional(),
  blocked: flag().optional(),
  rotated_from: anyText().optional(),
  expires_before: time().optional(),
})
export type CloudAKeyQuery = z.infer<typeof CloudAKeyQuery>
export const KeyChainQuery = listQuery(['createdAt'], {})
export type KeyChainQuery = z.infer<typeof KeyChainQuery>

/** One generation of a key in its chain of rotations. */
export const CloudAKeyVersion = z.object({
  id: z.string(),
  version: z.int(),
  is_primary: z.boolean(),
  state: z.string(),
  local_key_id: z.string().optional(),
  local_key_version: z.int().optional(),
  created: Time,
})
export type CloudAKeyVersion = z.infer<typeof CloudAKeyVersion>
export const PublicKeyPem = z.string().meta({ description: 'SubjectPublicKeyInfo as PEM' })
export const KeyRotationStatus = z.object({
  KeyRotationEnabled: z.boolean(),
  RotationPeriodInDays: z.int().optional(),
  NextRotationDate: z.string().optional(),
  OnDemandRotationStartDate: z.string().optional(),
})
export type KeyRotationStatus = z.infer<typeof KeyRotationStatus>
export const MaterialRotationStatus = z.object({
  overall_status: z.enum(['in_progress', 'success', 'failed']),
  error_details: z.string().optional(),
})
export type MaterialRotationStatus = z.infer<typeof MaterialRotationStatus>
/** Generations stand in the cloud's own order, and have no other date but that of their rotation. */
export const MaterialQuery = listQuery(['createdAt'], {}).pick({ skip: true, limit: true })
export type MaterialQuery = z.infer<typeof MaterialQuery>
/** One generation of a key's material. */
export const MaterialGeneration = z.object({
  KeyMaterialId: z.string().optional(),
  KeyMaterialState: z.string().optional(),
  KeyMaterialDescription: z.string().optional(),
  ImportState: z.string().optional(),
  RotationType: z.string().optional(),
  RotationDate: z.string().optional(),
  ExpirationModel: z.string().optional(),
  ValidTo: z.string().optional(),
  source_key_identifier: z.string().optional(),
  source_key_name: z.string().optional(),
})
export type MaterialGeneration = z.infer<typeof MaterialGeneration>
