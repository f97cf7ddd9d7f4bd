import * as z from 'zod'
import { fieldsOf, isGiven } from '../../../base/json.ts'
import { FreeJson, NameOrId, Time, Uuid } from '../../../http/common-fields.ts'
import { anyOf, anyPatterns, anyText, anyTexts, flag, listQuery, time } from '../../../http/lists/list-query.ts'
import { MATERIAL_ORIGINS } from '../../../cloud/keys/model.ts'
import { atMostOne, requires, withRules, type Rule } from '../../../http/rules.ts'
import { extended, object, strictObject } from '../../../base/lazy-fields.ts'
import {
  Attributes,
  CommonItem,
  commonItemFilters,
  expiresLater,
  ItemName,
  ofParam,
  pfxFields,
  Tags,
  Vault,
} from '../items/model.ts'
import {
  CLOUD_B_CURVES,
  CLOUD_B_FOUND_TYPES,
  CLOUD_B_KEY_OPS,
  CLOUD_B_KEY_TYPES,
  CLOUD_B_RSA_BITS,
  CloudBKeyParam,
} from '../param.ts'

const isHardware = (kty: unknown): boolean => typeof kty === 'string' && kty.endsWith('-HSM')
const isOf = (kty: unknown, kind: 'EC' | 'RSA'): boolean => typeof kty === 'string' && kty.startsWith(kind)
const opsOf = (ops: unknown): readonly unknown[] => (Array.isArray(ops) ? ops : [])
const SIGNING: readonly unknown[] = ['sign', 'verify']

const bits = z.union([z.literal(CLOUD_B_RSA_BITS[0]), z.literal(CLOUD_B_RSA_BITS[1]), z.literal(CLOUD_B_RSA_BITS[2])])
/** Ours: the same limit as other free JSON. */
const ReleasePolicy = strictObject(() => ({ data: FreeJson, immutable: z.boolean().optional() }))
/** A policy of the cloud, or an object with the members `data` (the policy) and `immutable`, which no policy has. */
const GivenReleasePolicy = z
  .looseObject(ReleasePolicy.partial().shape)
  .refine((given) => ReleasePolicy.safeParse(policyOf(given)).success, {
    error: 'must be a policy, or an object of data (the policy) and immutable (true or false)',
  })
  .transform((given) => ReleasePolicy.parse(policyOf(given)))
const policyOf = (given: object): object => ('data' in given || 'immutable' in given ? given : { data: given })

/** How a schedule rotates a key: the cloud generates the new version's material, or it comes from a new local key. */
const rotation = {
  job_config_id: Uuid,
  auto_rotate_key_source: z.enum(['native', 'local']),
  auto_rotate_key_type: z
    .enum(CLOUD_B_KEY_TYPES)
    .optional()
    .meta({ description: 'of new versions; default: that of the previous version' }),
  auto_rotate_key_size: bits.optional(),
  auto_rotate_ec_name: z.enum(CLOUD_B_CURVES).optional(),
  auto_rotate_enable_key: z
    .boolean()
    .optional()
    .meta({ description: 'whether new versions are enabled; true without' }),
  auto_rotate_release_policy: ReleasePolicy.optional(),
}
export const RotationLabels = object(() => ({
  ...rotation,
  of_vault: z.boolean().optional().meta({ description: 'whether it is the job of the whole vault' }),
}))
export type RotationLabels = z.infer<typeof RotationLabels>

/** The job configuration that rotates a key, and how. */
export const EnableRotationJob = withRules(
  strictObject(() => ({ ...rotation, auto_rotate_release_policy: GivenReleasePolicy.optional() })),
  {
    message: 'auto_rotate_key_type needs auto_rotate_key_size or auto_rotate_ec_name, whichever it has',
    field: 'auto_rotate_key_type',
    broken: ({ auto_rotate_key_type: kty, auto_rotate_key_size: size, auto_rotate_ec_name: curve }) =>
      isGiven(kty) && !isGiven(isOf(kty, 'RSA') ? size : curve),
  },
  requires('auto_rotate_key_size', 'auto_rotate_key_type'),
  requires('auto_rotate_ec_name', 'auto_rotate_key_type'),
  atMostOne('auto_rotate_key_size', 'auto_rotate_ec_name'),
)
export type EnableRotationJob = z.infer<typeof EnableRotationJob>

/** A version of a key of the cloud, as listed and stored. */
export const CloudBKey = extended(CommonItem, () => ({
  key_name: z.string(),
  labels: RotationLabels.partial()
    .extend({ backup_job_config_id: Uuid.optional() })
    .optional()
    .meta({ description: 'the job configurations that rotate the key and back it up: of the latest version' }),
  exportable: z.boolean().optional(),
  release_policy: ReleasePolicy.optional(),
  meta: FreeJson.optional(),
  version_count: z.int().optional().meta({ description: 'of the name; where one key is asked for' }),
  key_size: z.int().optional().meta({ description: 'bits, of RSA keys' }),
  key_soft_deleted_in_azure: z.boolean(),
  local_key_id: z.string().optional(),
  local_key_name: z.string().optional(),
  local_key_version: z.int().optional(),
  rotated_at: Time.optional(),
  cloud_b_param: CloudBKeyParam,
}))
export type CloudBKey = z.infer<typeof CloudBKey>

const signsOnly: Rule = {
  message: 'key_ops of EC keys are sign and verify',
  field: 'key_ops',
  broken: ({ kty, key_ops }) => isOf(kty, 'EC') && opsOf(key_ops).some((op) => !SIGNING.includes(op)),
}
const exchangesOnly: Rule = {
  message: 'import is for RSA-HSM, and a key with it has no other operation',
  field: 'key_ops',
  broken: ({ kty, key_ops }) =>
    opsOf(key_ops).includes('import') && (kty !== 'RSA-HSM' || opsOf(key_ops).some((op) => op !== 'import')),
}
const kindRules: readonly Rule[] = [
  {
    message: 'key_size is for RSA and RSA-HSM',
    field: 'key_size',
    broken: ({ kty, key_size }) => isGiven(key_size) && isOf(kty, 'EC'),
  },
  {
    message: 'crv is for EC and EC-HSM',
    field: 'crv',
    broken: ({ kty, crv }) => isGiven(crv) && isOf(kty, 'RSA'),
  },
  signsOnly,
  exchangesOnly,
]

const releasing = {
  exportable: z
    .boolean()
    .optional()
    .meta({ description: 'whether the material may leave the hardware; never changes; not in standard vaults' }),
  release_policy: GivenReleasePolicy.optional().meta({
    description: 'conditions of a release: the policy, or the policy as `data` beside `immutable`',
  }),
}
const releaseRules: readonly Rule[] = [
  {
    message: 'exportable needs release_policy',
    field: 'release_policy',
    broken: ({ exportable, release_policy }) => exportable === true && !isGiven(release_policy),
  },
  {
    message: 'release_policy is for exportable keys',
    field: 'release_policy',
    broken: ({ exportable, release_policy }) => isGiven(release_policy) && exportable !== true,
  },
]

const KeyOps = z.array(z.enum(CLOUD_B_KEY_OPS)).min(1).max(CLOUD_B_KEY_OPS.length)

export const CreateCloudBKey = withRules(
  strictObject(() => ({
    key_name: ItemName,
    key_vault: Vault,
    ...releasing,
    cloud_b_param: z.strictObject({
      kty: z.enum(CLOUD_B_KEY_TYPES),
      attributes: Attributes.optional(),
      crv: z.enum(CLOUD_B_CURVES).optional().meta({ description: 'default: P-256' }),
      key_ops: KeyOps.optional(),
      key_size: bits.optional().meta({ description: 'default: 2048' }),
      tags: Tags.optional(),
    }),
  })),
  ...ofParam(...kindRules, expiresLater),
  ...releaseRules,
  {
    message: 'exportable is for EC-HSM and RSA-HSM',
    field: 'exportable',
    broken: ({ exportable, cloud_b_param: param }) => exportable === true && !isHardware(fieldsOf(param).kty),
  },
)
export type CreateCloudBKey = z.infer<typeof CreateCloudBKey>

export const UploadCloudBKey = withRules(
  strictObject(() => ({
    key_name: ItemName,
    key_vault: Vault,
    local_key_identifier: NameOrId.optional().meta({ description: 'name or id of the local key' }),
    source_key_tier: z.enum(['local', 'pfx']).default('local'),
    ...pfxFields,
    // Ours: the interface has no field that selects hardware without a key-exchange key.
    hsm: z
      .boolean()
      .optional()
      .meta({ description: 'into hardware; always so with kek_kid or exportable, and in managed HSM pools' }),
    kek_kid: z
      .url({ protocol: /^https$/ })
      .max(512)
      .optional()
      .meta({ description: 'identifier of the key-exchange key under which the material travels' }),
    ...releasing,
    cloud_b_param: z
      .strictObject({
        attributes: Attributes.optional(),
        key_ops: z
          .array(z.enum(CLOUD_B_KEY_OPS).exclude(['import']))
          .min(1)
          .optional(),
        tags: Tags.optional(),
      })
      .default({}),
  })),
  {
    message: 'local_key_identifier is mandatory when source_key_tier is local',
    field: 'local_key_identifier',
    broken: ({ source_key_tier: tier = 'local', local_key_identifier }) =>
      tier === 'local' && !isGiven(local_key_identifier),
  },
  {
    message: 'pfx is mandatory when source_key_tier is pfx',
    field: 'pfx',
    broken: ({ source_key_tier: tier, pfx }) => tier === 'pfx' && !isGiven(pfx),
  },
  {
    message: 'pfx needs source_key_tier pfx',
    field: 'pfx',
    broken: ({ source_key_tier: tier = 'local', pfx }) => tier === 'local' && isGiven(pfx),
  },
  atMostOne('local_key_identifier', 'pfx'),
  requires('password', 'pfx'),
  {
    message: 'hsm cannot be false with kek_kid or exportable',
    field: 'hsm',
    broken: ({ hsm, kek_kid, exportable }) => hsm === false && (isGiven(kek_kid) || exportable === true),
  },
  ...releaseRules,
  ...ofParam(expiresLater),
)
export type UploadCloudBKey = z.infer<typeof UploadCloudBKey>

export const UpdateCloudBKey = withRules(
  strictObject(() => ({
    attributes: Attributes.optional(),
    key_ops: KeyOps.optional(),
    tags: Tags.optional().meta({ description: "replaces all tags except the service's own" }),
    release_policy: GivenReleasePolicy.optional().meta({ description: 'refused once a policy is immutable' }),
    // Ours: the interface has the field in the key and no call that sets it.
    meta: FreeJson.optional().meta({ description: 'replaces the former one; the cloud does not see it' }),
  })),
  expiresLater,
)
export type UpdateCloudBKey = z.infer<typeof UpdateCloudBKey>

export const CloudBKeyQuery = listQuery(
  CloudBKey,
  () => ({
    ...commonItemFilters,
    ...anyPatterns('key_name'),
    ...anyTexts('cloud_name', 'local_key_id'),
    job_config_id: anyText().optional().meta({ description: 'the job that rotates the key, or backs it up' }),
    kty: anyOf(CLOUD_B_FOUND_TYPES).optional(),
    key_ops: anyOf(CLOUD_B_KEY_OPS).optional().meta({ description: 'operations that must all be there' }),
    key_material_origin: anyOf(MATERIAL_ORIGINS).optional(),
    backup: flag().optional().meta({ description: 'whether a backup is stored' }),
    rotation_job_enabled: flag().optional(),
    expires_before: time().optional(),
  }),
  ['kty'],
)
export type CloudBKeyQuery = z.infer<typeof CloudBKeyQuery>
