import * as z from 'zod'
import { commonKeyFilters, KeyWithVersions, MATERIAL_ORIGINS } from '../../../cloud/keys/model.ts'
import { column, FreeText, Name, NameOrId, Time, Uuid } from '../../../http/common-fields.ts'
import { anyOf, anyPatterns, anyText, anyTexts, flag, listQuery } from '../../../http/lists/list-query.ts'
import { withRules, type Rule } from '../../../http/rules.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { DATACUST_NAMES } from '../connections/model.ts'
import { DATACUST_CURVE_NAMES, DATACUST_OPERATIONS, DATACUST_TYPES, DatacustParam } from '../param.ts'

export const KEY_STATUSES = ['AVAILABLE', 'DISABLED', 'DELETED'] as const
const SOURCES = ['native', 'local'] as const
/** Settings of a key's rotation by schedule. */
const rotation = { job_config_id: Uuid, auto_rotate_key_source: z.enum(SOURCES) }
export const EnableDatacustAutoRotation = z.strictObject(rotation)
export type EnableDatacustAutoRotation = z.infer<typeof EnableDatacustAutoRotation>

/** Fields of a key's record. */
export const RecordedDatacustKey = extended(KeyWithVersions, () => ({
  cloud_name: z.enum(DATACUST_NAMES),
  tenant: z.string().optional(),
  cckm_group_id: z.string().meta({ description: "id of the group's record" }),
  datacust_group_name: z.string().meta(column('container')),
  datacust_application: z.string().optional().meta({ description: 'type of the application of its group' }),
  backup_blob: z.string().optional().meta({ description: 'backup that only the cloud can read' }),
  backup_at: Time.optional(),
  labels: z.object(rotation).optional().meta({ description: 'the job configuration that rotates it' }),
  datacust_param: DatacustParam,
}))

/** A key of the cloud. */
export const DatacustKey = extended(RecordedDatacustKey, () => ({
  status: z.enum(KEY_STATUSES).meta(column('state')),
  origin: z.enum(MATERIAL_ORIGINS),
  auto_rotate: z.boolean(),
  source_key_identifier: z.string().optional().meta({ description: 'id of the local key with its material' }),
  source_key_type: z.string().optional(),
  source_key_tier: z.literal('local').optional(),
}))
export type DatacustKey = z.infer<typeof DatacustKey>

const Operations = z
  .array(z.enum(DATACUST_OPERATIONS))
  .min(1)
  .max(DATACUST_OPERATIONS.length)
  .refine((operations) => new Set(operations).size === operations.length, { error: 'must not name one twice' })

const made = {
  group: NameOrId.meta({ description: "id or name of the group, or the cloud's id of it" }),
  name: Name,
  type: z.enum(DATACUST_TYPES),
  operations: Operations,
  description: FreeText.optional(),
  exportable: z.boolean().default(false),
}

const sizeOrCurve: Rule = {
  message: 'size is required for AES and RSA, and curve for EC',
  field: 'size',
  broken: ({ type, size, curve }) => (type === 'EC' ? curve === undefined : size === undefined),
}
const notBoth: Rule = {
  message: 'curve is for EC, and size for the other types',
  field: 'curve',
  broken: ({ type, size, curve }) => (type === 'EC' ? size !== undefined : curve !== undefined),
}
export const CreateDatacustKey = withRules(
  strictObject(() => ({
    ...made,
    size: z.int().optional().meta({ description: 'bits' }),
    curve: z.enum(DATACUST_CURVE_NAMES).optional(),
  })),
  sizeOrCurve,
  notBoth,
)
export type CreateDatacustKey = z.infer<typeof CreateDatacustKey>

export const UploadDatacustKey = strictObject(() => ({
  ...made,
  source_key_identifier: NameOrId,
  source_key_tier: z.literal('local').default('local'),
  role: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'by default MASTER_KEY, which becomes a role that suits the group where possible' }),
}))
export type UploadDatacustKey = z.infer<typeof UploadDatacustKey>

export const UpdateDatacustKey = strictObject(() => ({
  description: FreeText.nullable().optional(),
  operations: Operations.optional(),
  enabled: z.boolean().optional(),
}))
export type UpdateDatacustKey = z.infer<typeof UpdateDatacustKey>

export const DeleteAtCloud = strictObject(() => ({
  delete_if_backup_fails: z.boolean().default(false),
}))
export type DeleteAtCloud = z.infer<typeof DeleteAtCloud>

export const DatacustKeyQuery = listQuery(
  DatacustKey,
  () => ({
    ...commonKeyFilters,
    ...anyPatterns('name'),
    ...anyTexts('tenant', 'type'),
    group: anyText().optional().meta({ description: "the cloud's id, the record's id or the name of a group" }),
    status: anyOf(KEY_STATUSES).optional(),
    origin: anyOf(MATERIAL_ORIGINS).optional(),
    auto_rotate: flag().optional(),
  }),
  ['name', 'type', 'status'],
)
export type DatacustKeyQuery = z.infer<typeof DatacustKeyQuery>
