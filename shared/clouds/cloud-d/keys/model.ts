import * as z from 'zod'
import { isNameIn } from '../../../base/json.ts'
import { commonKeyFilters, KeyWithVersions } from '../../../cloud/keys/model.ts'
import { column, Name, NameOrId, Time, Uuid } from '../../../http/common-fields.ts'
import { anyPatterns, anyText, anyTexts, flag, listQuery } from '../../../http/lists/list-query.ts'
import { withRules, type Rule } from '../../../http/rules.ts'
import { CLOUD_D_NAMES } from '../connections/model.ts'
import { externalKeyChanges } from '../external/bodies.ts'
import { HyokKeyParams } from '../external/params.ts'
import {
  CLOUD_D_ALGORITHMS,
  CLOUD_D_CURVES,
  CLOUD_D_LENGTHS,
  CLOUD_D_PROTECTION_MODES,
  CloudDParam,
  KEY_TAG,
} from '../param.ts'
import { CompartmentId } from '../vaults/model.ts'
import { namesOf } from '../../../base/fields.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'

const SOURCES = ['native', 'local'] as const
/** Settings of a key's rotation by schedule. */
const rotation = { job_config_id: Uuid, auto_rotate_key_source: z.enum(SOURCES) }
export const EnableCloudDAutoRotation = z.strictObject(rotation)
export type EnableCloudDAutoRotation = z.infer<typeof EnableCloudDAutoRotation>

/** A key of the cloud, as listed and stored. */
export const CloudDKey = extended(KeyWithVersions, () => ({
  cloud_name: z.enum(CLOUD_D_NAMES),
  vault_id: z.string().meta({ ...column('container'), description: "the cloud's id of the vault" }),
  vault_resource_id: z.string().meta({ description: "id of the vault's record" }),
  tenancy: z.string(),
  region: z.string(),
  refreshed_at: Time.optional().meta({ description: 'when it was last read; absent of external keys' }),
  backup_at: Time.optional().meta({ description: 'of its backup in the bucket of the vault' }),
  labels: z.object(rotation).optional().meta({ description: 'the job configuration that rotates it' }),
  cloud_d_params: CloudDParam,
  hyok_key_params: HyokKeyParams.optional().meta({ description: 'of a key of an external vault, which stays here' }),
}))
export type CloudDKey = z.infer<typeof CloudDKey>

/** The cloud's own limits; one more tag is reserved for the service. */
const MOST = { freeform: 9, defined: 64, name: 100, value: 256 } as const
const Freeform = z
  .record(z.string().min(1).max(MOST.name), z.string().max(MOST.value))
  .refine((tags) => Object.keys(tags).length <= MOST.freeform, { error: `must be at most ${MOST.freeform} tags` })
const NewFreeform = Freeform.refine((tags) => !Object.hasOwn(tags, KEY_TAG), {
  error: `must not set ${KEY_TAG}, which is the service's`,
})
const Defined = z
  .record(
    z.string().min(1).max(MOST.name),
    z.record(z.string().min(1).max(MOST.name), z.union([z.string().max(MOST.value), z.number(), z.boolean()])),
  )
  .refine((tags) => Object.values(tags).flatMap((own) => Object.keys(own)).length <= MOST.defined, {
    error: `must be at most ${MOST.defined} tags`,
  })
  .meta({ description: 'by namespace: keys of tags that the tenancy defines' })

const made = {
  name: Name.meta({ description: 'display name; the cloud gives one name to several keys' }),
  vault: NameOrId.meta({ description: "id or name of the vault, or the cloud's id of it" }),
  compartment_id: CompartmentId,
  protection_mode: z.enum(CLOUD_D_PROTECTION_MODES),
  defined_tags: Defined.optional(),
  freeform_tags: NewFreeform.optional(),
}

const ofAlgorithm: Rule = {
  message: 'length must be one of the algorithm',
  field: 'length',
  broken: ({ algorithm, length }) => {
    const known = CLOUD_D_ALGORITHMS.find((one) => one === algorithm)
    if (known === undefined || typeof length !== 'number') return false
    const lengths: readonly number[] = CLOUD_D_LENGTHS[known]
    return lengths.includes(length) ? false : `of ${known} must be one of ${lengths.join(', ')}`
  },
}
const ofLength: Rule = {
  message: 'curve_id is for ECDSA, and must be of the length',
  field: 'curve_id',
  broken: ({ algorithm, length, curve_id }) =>
    curve_id !== undefined &&
    (algorithm !== 'ECDSA' || !isNameIn(CLOUD_D_CURVES, curve_id) || CLOUD_D_CURVES[curve_id] !== length),
}
const CURVES = namesOf(CLOUD_D_CURVES)
export const CreateCloudDKey = withRules(
  strictObject(() => ({
    ...made,
    algorithm: z.enum(CLOUD_D_ALGORITHMS),
    length: z.int().meta({ description: 'bytes: AES 16, 24, 32; RSA 256, 384, 512; ECDSA 32, 48, 66' }),
    curve_id: z.enum(CURVES).optional(),
  })),
  ofAlgorithm,
  ofLength,
)
export type CreateCloudDKey = z.infer<typeof CreateCloudDKey>

const source = { source_key_identifier: NameOrId, source_key_tier: z.literal('local').default('local') }
export const UploadCloudDKey = z.strictObject({ ...made, ...source })
export type UploadCloudDKey = z.infer<typeof UploadCloudDKey>

export const UpdateCloudDKey = strictObject(() => ({
  display_name: Name.optional(),
  defined_tags: Defined.nullable().optional().meta({ description: 'replaces all defined tags' }),
  freeform_tags: Freeform.nullable()
    .optional()
    .meta({ description: `take the place of all free-form tags but ${KEY_TAG}` }),
  ...externalKeyChanges,
}))
export type UpdateCloudDKey = z.infer<typeof UpdateCloudDKey>

/** The waiting period before a deletion, in days. */
const DAYS = { least: 7, most: 30 } as const
export const ScheduleDeletion = strictObject(() => ({
  days: z.int().min(DAYS.least).max(DAYS.most).default(DAYS.least).meta({ description: 'days until it is deleted' }),
}))
export type ScheduleDeletion = z.infer<typeof ScheduleDeletion>
export const ChangeCompartment = z.strictObject({ compartment_id: CompartmentId })
export type ChangeCompartment = z.infer<typeof ChangeCompartment>

export const CloudDKeyQuery = listQuery(
  CloudDKey,
  () => ({
    ...commonKeyFilters,
    ...anyPatterns('display_name'),
    ...anyTexts('key_id', 'compartment_id', 'tenancy', 'region', 'algorithm', 'length'),
    ...anyTexts('protection_mode', 'lifecycle_state'),
    linked_state: flag().optional().meta({ description: 'of external keys' }),
    blocked: flag().optional().meta({ description: 'of external keys' }),
    vault_id: anyText().optional().meta({ description: "the cloud's id, the record's id or the name of a vault" }),
  }),
  ['display_name', 'algorithm', 'lifecycle_state', 'protection_mode'],
)
export type CloudDKeyQuery = z.infer<typeof CloudDKeyQuery>
