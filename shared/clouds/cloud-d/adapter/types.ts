import type { Cloud, RemoteKey, Versioning } from '../../../cloud/contract.ts'
import type {
  CloudDAlgorithm,
  CloudDCurve,
  CloudDParam,
  CloudDProtectionMode,
  CloudDVersionParam,
  DefinedTags,
  FreeformTags,
} from '../param.ts'

/** Credentials for the cloud: a connection's fields, with its secrets in the clear. */
export interface CloudDConnection {
  readonly tenancy_id: string
  readonly cloud_user_id: string
  readonly fingerprint: string
  /** of the tenancy's identity service */
  readonly region: string
  /** PEM */
  readonly key_file: string
  readonly pass_phrase?: string | undefined
}

/** A connection and the limits of its calls, without a vault. */
export interface CloudDEntry {
  readonly connection: CloudDConnection
  /** aborts every call in progress when the request's time is over */
  readonly budget: AbortSignal
  /** A request stops after a few throttled attempts; a job slows down and continues. */
  readonly patience: 'request' | 'job'
}

/** One vault, and the connection that gives access to it. */
export interface CloudDPlace extends CloudDEntry {
  readonly vault: Pick<CloudDVaultRead, 'vault_id' | 'display_name' | 'compartment_id' | 'management_endpoint'> & {
    readonly region: string
    /** the bucket with backups of its keys */
    readonly bucket_name?: string | undefined
    readonly bucket_namespace?: string | undefined
  }
  /** the request's time, or that of the part of a job */
  readonly now: Date
}

/** `ref` is the cloud's id of the key. */
export type CloudDKeyRead = RemoteKey<CloudDParam>
/** `ref` is the cloud's id of the version. */
export type CloudDVersionRead = RemoteKey<CloudDVersionParam>

/** The key to create. */
export interface CloudDKeySpec {
  readonly name: string
  readonly compartment_id: string
  readonly algorithm: CloudDAlgorithm
  /** bytes */
  readonly length: number
  readonly curve_id?: CloudDCurve | undefined
  readonly protection_mode: CloudDProtectionMode
  readonly defined_tags?: DefinedTags | undefined
  readonly freeform_tags?: FreeformTags | undefined
}

/** Changes to a key; absent fields stay unchanged. Tags replace all existing ones except the service's own. */
export interface CloudDKeyChange {
  readonly display_name?: string | undefined
  readonly defined_tags?: DefinedTags | undefined
  readonly freeform_tags?: FreeformTags | undefined
}

/** The size of a page, and the token that requests the next one. */
export interface CloudDPageQuery {
  readonly limit?: number | undefined
  readonly page?: string | undefined
}
export interface CloudDPage<Item> {
  readonly items: readonly Item[]
  readonly next?: string | undefined
}

export interface CloudDTenancy {
  readonly tenancy: string
  readonly tenancy_id: string
}
export interface CloudDRegion {
  readonly name: string
  readonly key: string
  readonly is_home: boolean
  readonly status: string
}
export interface CloudDCompartment {
  readonly compartment_id: string
  readonly name: string
  /** absent for the root, which is the tenancy */
  readonly parent_id?: string | undefined
  readonly lifecycle_state: string
  readonly time_created?: string | undefined
}
/** A vault in a list. */
export interface CloudDVaultSummary {
  readonly vault_id: string
  readonly display_name: string
  readonly compartment_id: string
  readonly lifecycle_state: string
  readonly management_endpoint: string
  readonly crypto_endpoint: string
  readonly vault_type: string
  readonly time_created: string
  readonly defined_tags: DefinedTags
  readonly freeform_tags: FreeformTags
}
/** The full description of a vault. */
export interface CloudDVaultRead extends CloudDVaultSummary {
  readonly time_of_deletion?: string | undefined
  readonly wrappingkey_id?: string | undefined
  readonly is_primary: boolean
  readonly replication_id?: string | undefined
  readonly restored_from_vault_id?: string | undefined
}
export interface CloudDBucket {
  readonly name: string
  readonly namespace: string
}

/** Which records of the audit service to list: a half-open interval of whole minutes. */
export interface CloudDAuditQuery {
  readonly compartment_id: string
  readonly region: string
  readonly from: Date
  readonly to: Date
  readonly page?: string | undefined
}
/** One call to the key service, as the audit service recorded it. */
export interface CloudDAuditEntry {
  readonly id: string
  readonly time: string
  /** such as `CreateKey` */
  readonly activity: string
  /** the cloud's id of the resource that was called */
  readonly resource_id: string
  readonly resource_name: string
  readonly compartment_id: string
  readonly user_name: string
  readonly user_id: string
  /** present if the call failed */
  readonly failed_code?: string | undefined
}

/** Operations of cloud-d beyond those that every cloud has. */
export interface CloudDOwn {
  tenancy(entry: CloudDEntry): Promise<CloudDTenancy>
  regions(entry: CloudDEntry): Promise<readonly CloudDRegion[]>
  /** The compartments directly below one; without `parentId`, all of the tenancy, the root first. */
  compartments(
    entry: CloudDEntry,
    parentId: string | undefined,
    query: CloudDPageQuery,
  ): Promise<CloudDPage<CloudDCompartment>>
  /** `undefined` if it is missing or hidden from the connection: the cloud's answers are the same. */
  compartment(entry: CloudDEntry, compartmentId: string): Promise<CloudDCompartment | undefined>
  vaults(
    entry: CloudDEntry,
    region: string,
    compartmentId: string,
    query: CloudDPageQuery,
  ): Promise<CloudDPage<CloudDVaultSummary>>
  vault(entry: CloudDEntry, region: string, vaultId: string): Promise<CloudDVaultRead | undefined>
  /** Tag keys by namespace, of a compartment and those below it. Default: of the tenancy. */
  definedTags(
    entry: CloudDEntry,
    compartmentId: string | undefined,
  ): Promise<Readonly<Record<string, readonly string[]>>>
  /** @param namespace of the object storage; default: the tenancy's */
  buckets(
    entry: CloudDEntry,
    region: string,
    compartmentId: string,
    namespace: string | undefined,
    query: CloudDPageQuery,
  ): Promise<CloudDPage<CloudDBucket>>

  /**
   * The changes below wait until a change in progress completes, and are safe to repeat. @throws Refusal CLOUD_CONFLICT
   * in another state
   */
  update(place: CloudDPlace, ref: string, change: CloudDKeyChange): Promise<void>
  enable(place: CloudDPlace, ref: string): Promise<void>
  disable(place: CloudDPlace, ref: string): Promise<void>
  /** @param days 7 to 30; a deletion that is already scheduled keeps its time */
  scheduleDeletion(place: CloudDPlace, ref: string, days: number): Promise<void>
  cancelDeletion(place: CloudDPlace, ref: string): Promise<void>
  move(place: CloudDPlace, ref: string, compartmentId: string): Promise<void>
  /** The three below use the vault's bucket. @throws Refusal STATE_CONFLICT for a vault without a bucket */
  backup(place: CloudDPlace, ref: string): Promise<void>
  /** Safe to repeat. @throws Refusal CLOUD_INVALID for a bucket without the backup */
  restore(place: CloudDPlace, ref: string): Promise<void>
  /** Safe to repeat. */
  deleteBackup(place: CloudDPlace, ref: string): Promise<void>
  scheduleVersionDeletion(place: CloudDPlace, ref: string, version: string, days: number): Promise<void>
  cancelVersionDeletion(place: CloudDPlace, ref: string, version: string): Promise<void>
  /** SubjectPublicKeyInfo as PEM; `undefined` for a version that is not a pair */
  publicKey(place: CloudDPlace, ref: string, version: string): Promise<string | undefined>

  /** One page, oldest first. May be empty although more pages follow. */
  auditEntries(entry: CloudDEntry, query: CloudDAuditQuery): Promise<CloudDPage<CloudDAuditEntry>>
}

export type CloudD = Cloud<CloudDConnection, CloudDPlace, CloudDKeySpec, CloudDKeyRead> &
  Versioning<CloudDPlace, object, CloudDVersionRead, CloudDKeyRead> &
  CloudDOwn
