import type { Journal } from '../../../base/journal.ts'
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

/** How the cloud is entered: a connection's fields, secrets opened. */
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

/** A connection and its limits, where no vault is meant. */
export interface CloudDEntry {
  readonly connection: CloudDConnection
  /** ends every call that is under way: the request's time is up */
  readonly budget: AbortSignal
  /** A request gives up on throttling after a few attempts; a job slows down and goes on. */
  readonly patience: 'request' | 'job'
}

/** One vault, entered by a connection. */
export interface CloudDPlace extends CloudDEntry {
  readonly vault: Pick<CloudDVaultRead, 'vault_id' | 'display_name' | 'compartment_id' | 'management_endpoint'>
  /** the request's own time, or the time a job's part is done for */
  readonly now: Date
}

/** `ref` is the cloud's id of the key. */
export type CloudDKeyRead = RemoteKey<CloudDParam>
/** `ref` is the cloud's id of the version. */
export type CloudDVersionRead = RemoteKey<CloudDVersionParam>

/** The key to make. */
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

/** Changes to a key; absent fields stay. Tags take the place of all that there are but the service's own. */
export interface CloudDKeyChange {
  readonly display_name?: string | undefined
  readonly defined_tags?: DefinedTags | undefined
  readonly freeform_tags?: FreeformTags | undefined
}

/** One page of something looked up, and what to ask for the next one with. */
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
  /** absent of the root, which is the tenancy */
  readonly parent_id?: string | undefined
  readonly lifecycle_state: string
  readonly time_created?: string | undefined
}
/** A vault of a list. */
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
/** A vault as it describes itself. */
export interface CloudDVaultRead extends CloudDVaultSummary {
  readonly wrappingkey_id?: string | undefined
  readonly is_primary: boolean
  readonly replication_id?: string | undefined
  readonly restored_from_vault_id?: string | undefined
}
export interface CloudDBucket {
  readonly name: string
  readonly namespace: string
}

/** Which records of the audit service: half-open, of whole minutes. */
export interface CloudDAuditQuery {
  readonly compartment_id: string
  readonly region: string
  readonly from: Date
  readonly to: Date
  readonly page?: string | undefined
}
/** One call to the key service, as the audit service has it. */
export interface CloudDAuditEntry {
  readonly id: string
  readonly time: string
  /** such as `CreateKey` */
  readonly activity: string
  /** the cloud's id, of whatever the call was about */
  readonly resource_id: string
  readonly resource_name: string
  readonly compartment_id: string
  readonly user_name: string
  readonly user_id: string
  /** of a call that failed */
  readonly failed_code?: string | undefined
}

/** Verbs of cloud-d beyond those that every cloud has. */
export interface CloudDOwn {
  tenancy(entry: CloudDEntry): Promise<CloudDTenancy>
  regions(entry: CloudDEntry): Promise<readonly CloudDRegion[]>
  /** The compartments below one; without any, all of the tenancy, the root first. */
  compartments(
    entry: CloudDEntry,
    parentId: string | undefined,
    query: CloudDPageQuery,
  ): Promise<CloudDPage<CloudDCompartment>>
  /** `undefined` for one that is not there, or that the connection may not see: the cloud does not tell these apart. */
  compartment(entry: CloudDEntry, compartmentId: string): Promise<CloudDCompartment | undefined>
  vaults(
    entry: CloudDEntry,
    region: string,
    compartmentId: string,
    query: CloudDPageQuery,
  ): Promise<CloudDPage<CloudDVaultSummary>>
  vault(entry: CloudDEntry, region: string, vaultId: string): Promise<CloudDVaultRead | undefined>
  /** Keys of tags by namespace, of a compartment and those below it; of the tenancy without any. */
  definedTags(
    entry: CloudDEntry,
    compartmentId: string | undefined,
  ): Promise<Readonly<Record<string, readonly string[]>>>
  /** @param namespace of the object storage; the tenancy's own without */
  buckets(
    entry: CloudDEntry,
    region: string,
    compartmentId: string,
    namespace: string | undefined,
    query: CloudDPageQuery,
  ): Promise<CloudDPage<CloudDBucket>>

  /** These wait for a change that is under way, and are safe to repeat. @throws Refusal CLOUD_CONFLICT in another state */
  update(place: CloudDPlace, ref: string, change: CloudDKeyChange): Promise<void>
  enable(place: CloudDPlace, ref: string): Promise<void>
  disable(place: CloudDPlace, ref: string): Promise<void>
  /** @param days 7 to 30; a deletion that is scheduled already keeps its time */
  scheduleDeletion(place: CloudDPlace, ref: string, days: number): Promise<void>
  cancelDeletion(place: CloudDPlace, ref: string): Promise<void>
  move(place: CloudDPlace, ref: string, compartmentId: string): Promise<void>
  /** Brings a deleted key back from a backup in a bucket. */
  restore(place: CloudDPlace, ref: string, bucket: CloudDBucket, journal?: Journal): Promise<void>
  scheduleVersionDeletion(place: CloudDPlace, ref: string, version: string, days: number): Promise<void>
  cancelVersionDeletion(place: CloudDPlace, ref: string, version: string): Promise<void>
  /** SubjectPublicKeyInfo as PEM; `undefined` for a version that is no pair */
  publicKey(place: CloudDPlace, ref: string, version: string): Promise<string | undefined>

  /** One page, oldest first. May be empty although others follow. */
  auditEntries(entry: CloudDEntry, query: CloudDAuditQuery): Promise<CloudDPage<CloudDAuditEntry>>
}

export type CloudD = Cloud<CloudDConnection, CloudDPlace, CloudDKeySpec, CloudDKeyRead> &
  Versioning<CloudDPlace, object, CloudDVersionRead> &
  CloudDOwn
