import * as z from 'zod'
import { CommonKey, commonKeyFilters } from '../../../cloud/keys/model.ts'
import { column, Time } from '../../../http/common-fields.ts'
import { anyOf, anyPatterns, anyTexts, flag, listQuery, oneText, time } from '../../../http/lists/list-query.ts'
import { extended, object } from '../../../base/lazy-fields.ts'

export const CLOUD_A_NAMES = ['cloud-a', 'cloud-a-gov', 'cloud-a-cn'] as const
export type CloudAName = (typeof CLOUD_A_NAMES)[number]

/** Kinds of key that the interface can create; the cloud may have others, which are read unchanged. */
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

const CloudATag = object(() => ({ TagKey: z.string(), TagValue: z.string() }))

const MultiRegionKey = object(() => ({ Arn: z.string(), Region: z.string() }))

/**
 * The cloud's description of a key, in its own spelling. Ours: aliases without the cloud's `alias/` prefix, as every
 * call accepts them; `Origin` and `KeyManager` in neutral words; tags and aliases sorted.
 */
export const CloudAParam = object(() => ({
  AccountId: z.string(),
  Arn: z.string(),
  KeyID: z.string(),
  CustomerMasterKeySpec: z.string(),
  KeyUsage: z.string().optional(),
  KeyState: z.string().meta(column('state')),
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
  Alias: z.array(z.string()).meta(column('name')),
  Tags: z.array(CloudATag).meta({
    description: 'keymgr_key_id marks keys of this service with the id of their record; only the service sets it',
  }),
  KeyRotationEnabled: z
    .boolean()
    .optional()
    .meta({ description: 'whether the cloud rotates it by itself: false for kinds of key that it never does' }),
  RotationPeriodInDays: z.int().optional(),
  NextRotationDate: z.string().optional(),
  OnDemandRotationStartDate: z.string().optional(),
}))
export type CloudAParam = z.infer<typeof CloudAParam>

/** Settings that a rotation job configuration stores with a key. */
const RotationLabels = object(() => ({
  job_config_id: z.string(),
  auto_rotate_key_source: z.literal('local'),
  auto_rotate_disable_encrypt: z.boolean().optional(),
  auto_rotate_disable_encrypt_on_all_accounts: z.boolean().optional(),
}))

/** Lists of principals that administer and use a key, as names or ARNs, from which a policy is generated. */
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

/** Empty for a key that was never part of a rotation. */
export const ROTATION_STATUSES = ['', 'ACTIVE', 'ROTATED', 'FAILED'] as const

/** For a hosted key: the store through which it is called, and its local key. */
export const HostedParams = object(() => ({
  blocked: z.boolean(),
  linked_state: z.boolean(),
  source_key_id: z.string(),
  source_key_tier: z.literal('local'),
  custom_key_store_id: z.string(),
}))

export const CloudAKey = extended(CommonKey, () => ({
  kms_id: z.string(),
  kms: z.string().meta(column('container')),
  region: z.string(),
  cloud_name: z.enum(CLOUD_A_NAMES),
  key_type: z.string().meta({ description: 'symmetric, asymmetric or hmac' }),
  basic_view_enabled: z.boolean(),
  key_source: z.string().optional(),
  key_source_container_id: z.string().optional().meta({ description: 'of a local key: its domain' }),
  key_source_container_name: z.string().optional(),
  rotated_from: z.string().optional(),
  rotated_to: z.string().optional(),
  rotation_status: z.enum(ROTATION_STATUSES),
  deletion_date: Time.optional(),
  labels: RotationLabels.optional(),
  policy_template_id: z.string().optional(),
  ...shownLists,
  replica_policy: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'of a replica: the policy of the request that created it, if any' }),
  custom_key_store_id: z.string().optional(),
  local_hosted_params: HostedParams.optional(),
  cloud_a_param: CloudAParam,
}))
export type CloudAKey = z.infer<typeof CloudAKey>

/** The tag that names the template of a key's policy; only the service sets it. */
export const TEMPLATE_TAG = 'keymgr_policy_template_id'

/** The tag that names our record of a key; only the service sets it. */
export const KEY_TAG = 'keymgr_key_id'

export const TAGS_MOST = 50

export const CloudAKeyQuery = listQuery(
  CloudAKey,
  () => ({
    ...commonKeyFilters,
    ...anyPatterns('alias'),
    ...anyTexts('keyid', 'arn', 'kms', 'kms_id', 'region', 'account_id', 'key_state', 'origin'),
    ...anyTexts('customer_master_key_spec', 'key_usage', 'key_manager', 'custom_key_store_id', 'rotated_from'),
    cloud_name: anyOf(CLOUD_A_NAMES).optional(),
    enabled: flag().optional(),
    tags: oneText().optional().meta({ description: 'a selector such as a=b,c: tags that must all be there' }),
    multi_region: flag().optional(),
    multi_region_key_type: anyOf(['PRIMARY', 'REPLICA']).optional(),
    linked_state: flag().optional(),
    blocked: flag().optional(),
    expires_before: time().optional(),
  }),
  [
    'keyid',
    'arn',
    'account_id',
    'key_state',
    'enabled',
    'origin',
    'customer_master_key_spec',
    'key_usage',
    'key_manager',
    'valid_to',
  ],
)
export type CloudAKeyQuery = z.infer<typeof CloudAKeyQuery>

/** One generation of a key in its chain of rotations. */
export const CloudAKeyVersion = object(() => ({
  id: z.string(),
  version: z.int(),
  is_primary: z.boolean(),
  state: z.string(),
  local_key_id: z.string().optional(),
  local_key_version: z.int().optional(),
  created: Time,
}))
export type CloudAKeyVersion = z.infer<typeof CloudAKeyVersion>

export const KeyRotationStatus = object(() => ({
  KeyRotationEnabled: z.boolean(),
  RotationPeriodInDays: z.int().optional(),
  NextRotationDate: z.string().optional(),
  OnDemandRotationStartDate: z.string().optional(),
}))
export type KeyRotationStatus = z.infer<typeof KeyRotationStatus>

export const KeyChainQuery = listQuery(CloudAKeyVersion, () => ({}))
export type KeyChainQuery = z.infer<typeof KeyChainQuery>
