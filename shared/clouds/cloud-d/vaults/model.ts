import * as z from 'zod'
import { CommonContainer, commonContainerFilters } from '../../../cloud/containers/model.ts'
import { isGiven } from '../../../base/json.ts'
import { Name, NameOrId, Resource, Time } from '../../../http/common-fields.ts'
import { anyOf, anyPatterns, anyTexts, flag, listQuery } from '../../../http/lists/list-query.ts'
import { atMostOne, requires, withRules } from '../../../http/rules.ts'
import { extended, object, strictObject } from '../../../base/lazy-fields.ts'
import { CLOUD_D_NAMES, Region, TenancyId } from '../connections/model.ts'
import { externalVaultChanges } from '../external/bodies.ts'
import { ExternalVaultParams } from '../external/params.ts'
import { DefinedTags, FreeformTags } from '../param.ts'

/** Ours: checks only the first part of the cloud's ids. */
const ocid = (kind: string) =>
  z
    .string()
    .max(255)
    .regex(new RegExp(`^ocid1\\.${kind}\\.[A-Za-z0-9._-]+$`), { error: `must be the id of a ${kind} at the cloud` })
export const VaultId = ocid('vault')
/** The root compartment has the id of the tenancy. */
export const CompartmentId = z
  .string()
  .max(255)
  .regex(/^ocid1\.(compartment|tenancy)\.[A-Za-z0-9._-]+$/, { error: 'must be the id of a compartment at the cloud' })

/** A tenancy, which contains compartments and vaults. */
export const CloudDTenancy = extended(Resource, () => ({
  tenancy: z.string().meta({ description: 'its name at the cloud' }),
  tenancy_id: z.string(),
  connection: z.string().meta({ description: 'name of the connection that found it; empty without one' }),
  cloud_name: z.enum(CLOUD_D_NAMES),
}))
export type CloudDTenancy = z.infer<typeof CloudDTenancy>
/** Ours: the cloud is not asked about a tenancy without a connection, which only external vaults need. */
export const AddTenancy = withRules(
  strictObject(() => ({ connection: NameOrId.optional(), tenancy: Name.optional(), tenancy_id: TenancyId.optional() })),
  atMostOne('connection', 'tenancy'),
  requires('tenancy', 'tenancy_id'),
  requires('tenancy_id', 'tenancy'),
  {
    message: 'connection, or tenancy with tenancy_id, is required',
    field: 'connection',
    broken: ({ connection, tenancy }) => !isGiven(connection) && !isGiven(tenancy),
  },
)
export const TenancyQuery = listQuery(CloudDTenancy, () => ({ ...anyPatterns('tenancy'), ...anyTexts('tenancy_id') }))

const FoundCompartment = object(() => ({
  compartment_id: z.string(),
  name: z.string(),
  parent_id: z.string().optional().meta({ description: 'absent of the root' }),
  lifecycle_state: z.string(),
  time_created: z.string().optional(),
}))
/** A compartment, which can contain keys. */
export const CloudDCompartment = extended(Resource, () => ({
  ...FoundCompartment.shape,
  tenancy: z.string(),
  connection: z.string().meta({ description: 'name of the connection that found it' }),
  cloud_name: z.enum(CLOUD_D_NAMES),
}))
export type CloudDCompartment = z.infer<typeof CloudDCompartment>
/** Ours: as many as fit into one transaction. */
const COMPARTMENTS_AT_ONCE = 20
const unique = <S extends z.ZodType<string, string>>(schema: S, most: number) =>
  z
    .array(schema)
    .min(1)
    .max(most)
    .refine((ids) => new Set(ids).size === ids.length, { error: 'must not name one twice' })
export const AddCompartments = strictObject(() => ({
  connection: NameOrId,
  compartment_id: unique(CompartmentId, COMPARTMENTS_AT_ONCE),
}))
export type AddCompartments = z.infer<typeof AddCompartments>
export const AddedCompartments = object(() => ({ compartments: z.array(CloudDCompartment) }))
export const CompartmentQuery = listQuery(CloudDCompartment, () => ({
  ...anyPatterns('name'),
  ...anyTexts('id', 'compartment_id', 'tenancy'),
}))

const FoundVault = object(() => ({
  vault_id: z.string().meta({ description: "the cloud's id" }),
  display_name: z.string(),
  compartment_id: z.string(),
  lifecycle_state: z.string(),
  management_endpoint: z.string(),
  crypto_endpoint: z.string(),
  vault_type: z.string().meta({ description: 'DEFAULT, VIRTUAL_PRIVATE or EXTERNAL' }),
  time_created: z.string(),
  defined_tags: DefinedTags,
  freeform_tags: FreeformTags,
}))

const Bucket = z.string().regex(/^[A-Za-z0-9._-]{1,256}$/, { error: 'must be the name of a bucket' })
const Namespace = z.string().regex(/^[a-z0-9]{1,255}$/, { error: 'must be a namespace of the object storage' })

/** A vault: the container of keys. */
export const CloudDVault = extended(CommonContainer, () => ({
  ...FoundVault.shape,
  name: z.string().meta({ description: 'the same as display_name; the cloud gives one name to several vaults' }),
  compartment_name: z.string(),
  tenancy: z.string(),
  region: z.string(),
  cloud_name: z.enum(CLOUD_D_NAMES),
  time_of_deletion: z.string().optional().meta({ description: 'of the vault with all of its keys' }),
  wrappingkey_id: z.string().optional(),
  is_primary: z.boolean(),
  replication_id: z.string().optional(),
  restored_from_vault_id: z.string().optional(),
  bucket_name: z.string().optional().meta({ description: 'bucket with backups of its keys' }),
  bucket_namespace: z.string().optional(),
  refreshed_at: Time.optional().meta({ description: 'when all of its keys were last read' }),
  external_vault_params: ExternalVaultParams.optional().meta({ description: 'of a vault of type EXTERNAL' }),
}))
export type CloudDVault = z.infer<typeof CloudDVault>

/** Ours: as many as fit into one transaction. */
const VAULTS_AT_ONCE = 12
export const AddVaults = withRules(
  strictObject(() => ({
    connection: NameOrId,
    region: Region,
    vault_id: unique(VaultId, VAULTS_AT_ONCE),
    bucket_name: Bucket.optional(),
    bucket_namespace: Namespace.optional(),
  })),
  requires('bucket_namespace', 'bucket_name'),
  requires('bucket_name', 'bucket_namespace'),
)
export type AddVaults = z.infer<typeof AddVaults>
export const AddedVaults = object(() => ({ vaults: z.array(CloudDVault) }))
export const UpdateVault = strictObject(() => ({
  connection: NameOrId.optional().meta({ description: 'must reach the vault, which is read anew' }),
  bucket_name: Bucket.nullable().optional(),
  bucket_namespace: Namespace.nullable().optional(),
  ...externalVaultChanges,
}))
export type UpdateVault = z.infer<typeof UpdateVault>

export const VaultQuery = listQuery(CloudDVault, () => ({
  ...commonContainerFilters,
  ...anyTexts('vault_id', 'display_name', 'compartment_id', 'region', 'tenancy', 'lifecycle_state', 'vault_type'),
  cloud_name: anyOf(CLOUD_D_NAMES).optional(),
  linked_state: flag().optional().meta({ description: 'of external vaults' }),
}))

const Limit = z.int().min(1).max(1_000).optional()
const Page = z.string().min(1).max(4_096).optional()
const Found = z.strictObject({ connection: NameOrId })
export const FindRegions = Found
export const FoundRegions = object(() => ({
  regions: z.array(z.object({ name: z.string(), key: z.string(), is_home: z.boolean(), status: z.string() })),
}))
export const FindCompartments = extended(Found, () => ({
  compartment_id: CompartmentId.optional().meta({ description: 'those directly below it; all of the tenancy without' }),
  limit: Limit,
  nextpage: Page,
}))
export const FoundCompartments = object(() => ({
  compartments: z.array(FoundCompartment),
  nextpage: z.string().optional(),
}))
export const FindVaults = Found.extend({ compartment_id: CompartmentId, region: Region, limit: Limit, next: Page })
export const FoundVaults = object(() => ({ vaults: z.array(FoundVault), next: z.string().optional() }))
export const FindDefinedTags = extended(Found, () => ({
  compartment_id: CompartmentId.optional().meta({ description: 'with those below it; the tenancy without' }),
}))
export const FoundDefinedTags = object(() => ({
  defined_tags: z.record(z.string(), z.array(z.string())).meta({ description: 'keys of tags by namespace' }),
}))
export const FindBuckets = extended(Found, () => ({
  compartment_id: CompartmentId,
  region: Region,
  namespace: Namespace.optional(),
  limit: Limit,
  nextpage: Page,
}))
export const FoundBuckets = object(() => ({
  buckets: z.array(z.object({ name: z.string(), namespace: z.string() })),
  nextpage: z.string().optional(),
}))
