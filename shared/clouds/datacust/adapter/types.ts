import type { Cloud, RemoteKey, Versioning } from '../../../cloud/contract.ts'
import type { DatacustCurve, DatacustOperation, DatacustParam, DatacustType, DatacustVersionParam } from '../param.ts'

/** Credentials for the cloud, with the secret in the clear: of a technical or a standard user. */
export interface DatacustConnection {
  /** of its record, for texts; absent while the connection is not saved */
  readonly name?: string
  readonly api_endpoint: string
  readonly technical?: { readonly api_key: string; readonly secret: string }
  /** `secret` is the password */
  readonly standard?: { readonly tenant: string; readonly user: string; readonly secret: string }
}

/** A connection and the limits of its calls, without a group. */
export interface DatacustEntry {
  readonly connection: DatacustConnection
  /** aborts every call in progress when the request's time is over */
  readonly budget: AbortSignal
  /** A request stops after a few throttled attempts; a job slows down and continues. */
  readonly patience: 'request' | 'job'
}

/** A group as the cloud describes it. */
export interface DatacustGroupRead {
  readonly group_id: string
  readonly name: string
  readonly description?: string | undefined
  readonly tenant?: string | undefined
  readonly application_type?: string | undefined
  /** provider of the keystore in which its keys are, such as `AWS` */
  readonly keystore_provider: string
}

/** One group, and the connection that gives access to it. */
export interface DatacustPlace extends DatacustEntry {
  readonly group: Pick<DatacustGroupRead, 'group_id' | 'keystore_provider'>
}

/** `ref` is the cloud's id of the key. */
export interface DatacustKeyRead extends RemoteKey<DatacustParam> {
  /** id of the key under which new versions are wrapped, known after an import into a group of AWS */
  readonly kek_id?: string
}
/** `ref` is the cloud's number of the version. */
export type DatacustVersionRead = RemoteKey<DatacustVersionParam>

/** The key to create. */
export interface DatacustKeySpec {
  readonly name: string
  readonly type: DatacustType
  /** bits */
  readonly size: number
  readonly curve?: DatacustCurve | undefined
  readonly operations: readonly DatacustOperation[]
  readonly description?: string | undefined
  readonly exportable?: boolean | undefined
  /** absent: the default role, or the one that suits the group if the cloud refuses the default */
  readonly role?: string | undefined
}

/** How a version is added. */
export interface DatacustVersionSpec {
  readonly kek_id?: string | undefined
}

/** Changes to a key; absent fields stay unchanged. */
export interface DatacustKeyChange {
  readonly description?: string | undefined
  readonly operations?: readonly DatacustOperation[] | undefined
  readonly enabled?: boolean | undefined
}

export interface DatacustApplication {
  readonly id: string
  readonly name: string
  readonly group_id: string
}

/** A name under which applications use a key, as the cloud describes it. */
export interface DatacustReferenceParam {
  readonly reference_id: string
  readonly name: string
  /** the cloud's id of the key */
  readonly datacust_key_id: string
  readonly allow_underlying_key_exchange: boolean
}

/** `ref` is the cloud's id of the reference. */
export type DatacustReferenceRead = RemoteKey<DatacustReferenceParam>
export type DatacustReferenceSpec = Omit<DatacustReferenceParam, 'reference_id'>

/** Changes to a reference; absent fields stay unchanged. */
export type DatacustReferenceChange = Partial<Pick<DatacustReferenceParam, 'name' | 'datacust_key_id'>>

/** Dynamic references of a group. Their calls are not public. */
export interface DatacustReferences extends Pick<
  Cloud<DatacustConnection, DatacustPlace, DatacustReferenceSpec, DatacustReferenceRead>,
  'refs' | 'read' | 'survey' | 'create'
> {
  /** Safe to repeat. */
  update(place: DatacustPlace, ref: string, change: DatacustReferenceChange): Promise<void>
  /** Safe to repeat. */
  remove(place: DatacustPlace, ref: string): Promise<void>
}

/**
 * Calls whose form is not public. Ours: only `unpublished.ts` and `references.ts` contain their paths and bodies, so
 * that they can be replaced.
 */
export interface DatacustUnpublished {
  applications(entry: DatacustEntry, groupId: string): Promise<readonly DatacustApplication[]>
  /** An opaque text, which only the cloud can read. */
  backup(place: DatacustPlace, ref: string): Promise<string>
  /** Safe to repeat. */
  restore(place: DatacustPlace, ref: string, backup: string): Promise<void>
  updateVersion(place: DatacustPlace, ref: string, version: string, change: DatacustKeyChange): Promise<void>
}

/** Operations of datacust beyond those that every cloud has. */
export interface DatacustOwn {
  /**
   * Activates a technical user and returns its new secret. Must not be repeated: the first answer is the only one with
   * the secret.
   */
  activate(connection: DatacustConnection, budget: AbortSignal): Promise<string>
  groups(entry: DatacustEntry): Promise<readonly DatacustGroupRead[]>
  group(entry: DatacustEntry, groupId: string): Promise<DatacustGroupRead | undefined>
  /** Safe to repeat. */
  update(place: DatacustPlace, ref: string, change: DatacustKeyChange): Promise<void>
  /** Safe to repeat. */
  remove(place: DatacustPlace, ref: string): Promise<void>
}

export type Datacust = Cloud<DatacustConnection, DatacustPlace, DatacustKeySpec, DatacustKeyRead> &
  Versioning<DatacustPlace, DatacustVersionSpec, DatacustVersionRead, DatacustKeyRead> &
  DatacustOwn &
  DatacustUnpublished
