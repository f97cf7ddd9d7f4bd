import * as z from 'zod'
import { CLOUD_C_ALGORITHMS, CLOUD_C_PROTECTION_LEVELS, CLOUD_C_PURPOSES, CloudCParam, KEY_LABEL } from '../param.ts'
import { isGiven } from '../../../base/json.ts'
import { CLOUD_C_NAMES } from '../projects/model.ts'
import { commonKeyFilters, KeyWithVersions, LocalSource } from '../../../cloud/keys/model.ts'
import { column, NameOrId, Time, Uuid } from '../../../http/common-fields.ts'
import { anyOf, anyPatterns, anyText, anyTexts, listQuery, oneText } from '../../../http/lists/list-query.ts'
import { atMostOne, requires, rulesWithin, withRules, type Rule } from '../../../http/rules.ts'
import { extended, object, strictObject } from '../../../base/lazy-fields.ts'

/** State of a key that has no primary version. */
export const NO_PRIMARY = 'NO_PRIMARY'

const ALGORITHMS = Object.values(CLOUD_C_ALGORITHMS).flat()
const Algorithm = z.enum(ALGORITHMS)

/** Settings of a key's rotation by schedule. */
const RotationLabels = object(() => ({
  job_config_id: z.string(),
  auto_rotate_key_source: z.enum(['native', 'local']),
  auto_rotate_algorithm: Algorithm.optional(),
}))

/** A key of the cloud, as listed and stored. */
export const CloudCKey = extended(KeyWithVersions, () => ({
  cloud_name: z.enum(CLOUD_C_NAMES),
  key_ring: z.string().meta({ ...column('container'), description: 'full name of the ring' }),
  key_ring_id: z.string().meta({ description: 'id of its record' }),
  key_ring_name: z.string().meta({ description: 'short name of the ring' }),
  project_id: z.string(),
  location_id: z.string(),
  organization_name: z.string().optional(),
  state: z.string().meta({ description: `of its primary version; ${NO_PRIMARY} where it has none` }),
  labels: RotationLabels.optional().meta({ description: 'the job configuration that rotates it' }),
  cloud_c_params: CloudCParam,
}))
export type CloudCKey = z.infer<typeof CloudCKey>

const LABELS_MOST = 64
const LABEL = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u
const LABEL_NAME = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u
/** The cloud's own rules for labels. */
const CloudLabels = z
  .record(z.string(), z.string())
  .refine((labels) => Object.keys(labels).filter((name) => name !== KEY_LABEL).length < LABELS_MOST, {
    error: `must be at most ${LABELS_MOST - 1} labels: one more is for the service`,
  })
  .refine((labels) => Object.entries(labels).every(([name, value]) => LABEL_NAME.test(name) && LABEL.test(value)), {
    error:
      'must have names and values of at most 63 lower-case letters, digits, _ and -, names beginning with a letter',
  })
const NewLabels = CloudLabels.refine((labels) => !Object.hasOwn(labels, KEY_LABEL), {
  error: `must not set ${KEY_LABEL}, which is the service's`,
})

const DAY_SECONDS = 86_400
const PERIOD_MOST_SECONDS = 876_000 * 3_600
const Seconds = (least: number, most: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,11}s$/, { error: 'must be seconds such as 7776000s' })
    .refine((text) => Number(text.slice(0, -1)) >= least && Number(text.slice(0, -1)) <= most, {
      error: `must be ${least}s to ${most}s`,
    })
const RotationPeriod = Seconds(DAY_SECONDS, PERIOD_MOST_SECONDS)
/** The cloud keeps a version scheduled for destruction for 1 to 120 days. */
const DestroyAfter = Seconds(DAY_SECONDS, 120 * DAY_SECONDS)

const KeyName = z.string().regex(/^[A-Za-z0-9_-]{1,63}$/, { error: 'must have 1 to 63 letters, digits, _ and -' })

const params = {
  key_name: KeyName,
  purpose: z.enum(CLOUD_C_PURPOSES),
  algorithm: Algorithm.optional(),
  protection_level: z.enum(CLOUD_C_PROTECTION_LEVELS).default('SOFTWARE'),
  labels: NewLabels.optional(),
  next_rotation_time: Time.optional(),
  rotation_period: RotationPeriod.optional(),
  destroy_scheduled_duration: DestroyAfter.optional(),
  import_only: z.boolean().optional(),
}
const Ring = NameOrId.meta({ description: 'id or full name of the ring' })

const paramRules: readonly Rule[] = [
  {
    message: 'algorithm must be one of the purpose',
    field: 'algorithm',
    broken: ({ purpose, algorithm }) => {
      const known = CLOUD_C_PURPOSES.find((each) => each === purpose)
      if (known === undefined || typeof algorithm !== 'string') return false
      const names: readonly string[] = CLOUD_C_ALGORITHMS[known]
      return names.includes(algorithm) ? false : `of purpose ${known} must be one of ${names.join(', ')}`
    },
  },
  {
    message: 'rotation_period and next_rotation_time are for ENCRYPT_DECRYPT',
    field: 'rotation_period',
    broken: ({ purpose, rotation_period, next_rotation_time }) =>
      typeof purpose === 'string' &&
      purpose !== 'ENCRYPT_DECRYPT' &&
      (isGiven(rotation_period) || isGiven(next_rotation_time)),
  },
  requires('rotation_period', 'next_rotation_time'),
  {
    message: "import_only does not go with the cloud's own rotation",
    field: 'import_only',
    broken: ({ import_only, rotation_period }) => import_only === true && isGiven(rotation_period),
  },
]
const keyRules = rulesWithin('cloud_c_params', paramRules)

export const CreateCloudCKey = withRules(
  strictObject(() => ({ key_ring: Ring, cloud_c_params: z.strictObject(params) })),
  ...keyRules,
)
export type CreateCloudCKey = z.infer<typeof CreateCloudCKey>

export const UploadCloudCKey = withRules(
  strictObject(() => ({ key_ring: Ring, cloud_c_params: z.strictObject(params), ...LocalSource })),
  ...keyRules,
)
export type UploadCloudCKey = z.infer<typeof UploadCloudCKey>

/** Ours: the cloud sets the primary and the template's algorithm in separate calls; here one request changes all. */
export const UpdateCloudCKey = strictObject(() => ({
  labels: CloudLabels.nullable()
    .optional()
    .meta({ description: `takes the place of all labels but ${KEY_LABEL}` }),
  next_rotation_time: Time.nullable().optional(),
  rotation_period: RotationPeriod.nullable().optional(),
  primary_version_id: NameOrId.optional().meta({ description: 'id or number of a version' }),
  version_template_algorithm: Algorithm.optional(),
}))
export type UpdateCloudCKey = z.infer<typeof UpdateCloudCKey>

/** Permissions on a key at its cloud. */
const Member = z.string().min(1).max(1_024)
const Binding = object(() => ({
  role: z.string(),
  members: z.array(z.string()),
  condition: z.record(z.string(), z.string()).optional(),
}))
export const CloudCKeyPolicy = object(() => ({ bindings: z.array(Binding), etag: z.string() }))
export type CloudCKeyPolicy = z.infer<typeof CloudCKeyPolicy>
/** The condition of a binding, in the cloud's own expression language. */
const Condition = strictObject(() => ({
  title: z.string().min(1).max(100),
  description: z.string().max(256).optional(),
  expression: z.string().min(1).max(4_096),
}))
export const SetCloudCKeyPolicy = strictObject(() => ({
  bindings: z
    .array(
      z.strictObject({
        role: z.string().regex(/^(roles|projects\/[^/]+\/roles|organizations\/[^/]+\/roles)\/[\w.]{1,128}$/, {
          error: 'must be a role such as roles/viewer',
        }),
        members: z.array(Member).min(1).max(1_500),
        condition: Condition.optional(),
      }),
    )
    .max(1_500),
  etag: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'of the policy that is replaced; 409 when it is another' }),
}))
export type SetCloudCKeyPolicy = z.infer<typeof SetCloudCKeyPolicy>

/** The job configuration that rotates a key, and the source of the new material. */
export const EnableCloudCAutoRotation = withRules(
  strictObject(() => ({
    job_config_id: Uuid,
    auto_rotate_key_source: z.enum(['native', 'local']),
    auto_rotate_algorithm: Algorithm.optional(),
  })),
)
export type EnableCloudCAutoRotation = z.infer<typeof EnableCloudCAutoRotation>

export const CloudCKeyQuery = listQuery(
  CloudCKey,
  () => ({
    ...commonKeyFilters,
    ...anyPatterns('key_name'),
    ...anyTexts('key_ring_id', 'project_id', 'location_id'),
    ...anyTexts('purpose', 'protection_level', 'algorithm', 'state'),
    key_ring: anyText().optional().meta({ description: 'id or full name' }),
    create_status: anyOf(KeyWithVersions.shape.create_status.options).optional(),
    labels: oneText()
      .optional()
      .meta({ description: 'a selector such as a=b,c: labels at the cloud that must all be there' }),
  }),
  ['key_name', 'purpose', 'algorithm', 'protection_level'],
)
export type CloudCKeyQuery = z.infer<typeof CloudCKeyQuery>

/** Bodies of versions, which may name the material of a local key. */
export const NewCloudCVersion = withRules(
  strictObject(() => ({
    is_native: z.boolean().optional().meta({ description: 'true: the cloud makes the material' }),
    algorithm: Algorithm.optional(),
    source_key_id: NameOrId.optional(),
    source_key_tier: z.literal('local').optional(),
  })),
  atMostOne('algorithm', 'source_key_id'),
  {
    message: 'either is_native must be true, or source_key_id be given',
    field: 'is_native',
    broken: ({ is_native, source_key_id }) => (is_native === true) === isGiven(source_key_id),
  },
)
export type NewCloudCVersion = z.infer<typeof NewCloudCVersion>
