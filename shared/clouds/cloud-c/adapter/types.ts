import type {
  CloudCAlgorithm,
  CloudCParam,
  CloudCProtectionLevel,
  CloudCPurpose,
  CloudCVersionParam,
} from '../param.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import type { Journal } from '../../../base/journal.ts'
import type { Cloud, RemoteKey, Versioning } from '../../../cloud/contract.ts'

/** Credentials to the cloud: a connection's fields, with opened secrets. */
export interface CloudCConnection {
  /** Cache key, unique to a connection and its revision: cached data of one is not used for another. */
  readonly key: string
  /** JSON text of a service account's key file, which `serviceAccountOf` parses. */
  readonly key_file: string
}

/** One key ring, accessed through a connection. */
export interface CloudCPlace {
  readonly connection: CloudCConnection
  /** `projects/<p>/locations/<l>/keyRings/<r>` */
  readonly ring: string
  /** the time of the request, or of the job's part */
  readonly now: Date
  /** Aborts every call under way when the request's time is up. */
  readonly budget: AbortSignal
  /** A request stops after a few throttled attempts; a job slows down and continues. */
  readonly patience: 'request' | 'job'
}

/** A connection and its limits, for calls that concern no ring. */
export type CloudCEntry = Pick<CloudCPlace, 'connection' | 'budget' | 'patience'>

/** `ref` is the key's short id, unique in its ring. */
export interface CloudCKeyRead extends RemoteKey<CloudCParam> {
  /** Only keys that encrypt and decrypt have a primary. */
  readonly primary?: CloudCVersionRead
}

/** `ref` is the number of the version, as text. */
export type CloudCVersionRead = RemoteKey<CloudCVersionParam>

/** The key to create, in the words of the API: `cloud_c_params` of a request can be passed unchanged. */
export interface CloudCKeySpec {
  /** Short id of the key: 1 to 63 of letters, digits, `_` and `-`. */
  readonly key_name: string
  readonly purpose: CloudCPurpose
  /** Default: the first algorithm of the purpose. */
  readonly algorithm?: CloudCAlgorithm | undefined
  readonly protection_level?: CloudCProtectionLevel | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** RFC 3339 */
  readonly next_rotation_time?: string | undefined
  /** `<n>s` */
  readonly rotation_period?: string | undefined
  /** `<n>s` */
  readonly destroy_scheduled_duration?: string | undefined
  /** Whether only imported versions are allowed: `create` then creates a key without versions. */
  readonly import_only?: boolean | undefined
}

export interface CloudCVersionSpec {
  /** Default: that of the key's template. */
  readonly algorithm?: CloudCAlgorithm | undefined
}

/** Changes to a key; absent fields stay. */
export interface CloudCKeyChange {
  /** Replaces all labels except the service's own. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** `null`, together with `rotation_period`, ends the cloud's own rotation. */
  readonly next_rotation_time?: string | null | undefined
  readonly rotation_period?: string | null | undefined
  /** For versions created from now on. */
  readonly version_template_algorithm?: CloudCAlgorithm | undefined
}

export interface CloudCBinding {
  readonly role: string
  readonly members: readonly string[]
  /** Not interpreted here. */
  readonly condition?: Readonly<Record<string, string>> | undefined
}

/** Permissions on a key at its cloud. */
export interface CloudCPolicy {
  readonly bindings: readonly CloudCBinding[]
  /** Version of the policy, on which a change can be conditional. */
  readonly etag: string
}

/** One page of a look-up: its size, and the token of the previous page. */
export interface CloudCPageQuery {
  readonly page_size?: number | undefined
  readonly page_token?: string | undefined
}
export interface CloudCPage<Item> {
  readonly items: readonly Item[]
  readonly next_page_token?: string | undefined
}

export interface CloudCProject {
  readonly project_id: string
  readonly name: string
  /** digits */
  readonly number: string
}
/** As `CloudCProject`, with the organization above it if we may see it. */
export interface CloudCProjectRead extends CloudCProject {
  /** `organizations/<digits>` */
  readonly organization_name?: string | undefined
  readonly organization_display_name?: string | undefined
}
export interface CloudCRing {
  /** `projects/<p>/locations/<l>/keyRings/<r>` */
  readonly name: string
  readonly create_time: string
}
export interface CloudCRole {
  /** such as `roles/viewer` */
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
}

/**
 * Selects entries of the audit log. The range is half-open, so that adjacent ranges neither lose nor repeat an entry.
 */
export interface CloudCAuditQuery extends CloudCPageQuery {
  /** Full names, all of one project. */
  readonly rings: readonly [string, ...string[]]
  readonly from: Date
  readonly to: Date
}

/** One call to the cloud that concerned a ring, according to the audit log. */
export interface CloudCAuditEntry {
  /** Together with `time` and `log`, equal for the same entry in every read. */
  readonly insert_id: string
  readonly log: 'activity' | 'data_access' | 'other'
  /** RFC 3339 */
  readonly time: string
  /** last part of the method's name, such as `Encrypt` */
  readonly activity: string
  /** full name of the resource that was called */
  readonly resource: string
  /** full name */
  readonly ring: string
  /** short ids, if the call concerned a key or a version */
  readonly key_name?: string | undefined
  readonly version?: string | undefined
  /** e-mail of the principal */
  readonly user_name?: string | undefined
  /** code of a failed call (`google.rpc.Code`), absent for a successful one */
  readonly failed_code?: number | undefined
}

/** Verbs of cloud-c besides those of every cloud. */
export interface CloudCOwn {
  /** Projects that the connection may see. */
  projects(entry: CloudCEntry, query: CloudCPageQuery): Promise<CloudCPage<CloudCProject>>
  /**
   * `undefined` for a project that the connection does not reach: the cloud's answer is the same for one that does not
   * exist.
   */
  project(entry: CloudCEntry, projectId: string): Promise<CloudCProjectRead | undefined>
  /** Short ids, such as `europe-west3`. */
  locations(entry: CloudCEntry, projectId: string, query: CloudCPageQuery): Promise<CloudCPage<string>>
  rings(
    entry: CloudCEntry,
    projectId: string,
    location: string,
    query: CloudCPageQuery,
  ): Promise<CloudCPage<CloudCRing>>
  /** @param name full name; `undefined` when the ring does not exist */
  ring(entry: CloudCEntry, name: string): Promise<CloudCRing | undefined>
  /** Roles that can be granted on resources of the project. */
  iamRoles(entry: CloudCEntry, projectId: string, query: CloudCPageQuery): Promise<CloudCPage<CloudCRole>>

  /** Safe to repeat. @returns the key after the change */
  updateKey(place: CloudCPlace, ref: string, change: CloudCKeyChange): Promise<CloudCKeyRead>
  /**
   * Makes a version the primary, which encrypts. Safe to repeat.
   * @throws Refusal CLOUD_CONFLICT unless it is enabled; CLOUD_INVALID for keys that have no primary
   */
  setPrimary(place: CloudCPlace, ref: string, version: string): Promise<CloudCKeyRead>
  /**
   * Both are safe to repeat. @returns the version after the change @throws Refusal CLOUD_CONFLICT in any other state
   */
  enableVersion(place: CloudCPlace, ref: string, version: string): Promise<CloudCVersionRead>
  disableVersion(place: CloudCPlace, ref: string, version: string): Promise<CloudCVersionRead>
  /**
   * Both are safe to repeat. The key's `destroy_scheduled_duration` determines how long the destruction waits. @returns
   * the version after the change
   */
  destroyVersion(place: CloudCPlace, ref: string, version: string): Promise<CloudCVersionRead>
  /** Cancels a scheduled destruction; the version is then disabled. Any other version stays as it is. */
  restoreVersion(place: CloudCPlace, ref: string, version: string): Promise<CloudCVersionRead>
  /**
   * Removes a version whose material is destroyed or was never imported. Safe to repeat. Its number is never used
   * again.
   * @throws Refusal CLOUD_CONFLICT in any other state, and for an imported version
   */
  deleteVersion(place: CloudCPlace, ref: string, version: string): Promise<void>
  /**
   * Removes a key without versions. Safe to repeat. Its name is never used again.
   * @throws Refusal CLOUD_CONFLICT as long as it has versions
   */
  deleteKey(place: CloudCPlace, ref: string): Promise<void>
  /**
   * Imports the same material again into a version that is destroyed or whose import failed. Safe to repeat.
   * @throws Refusal CLOUD_INVALID for other material
   */
  reimportVersion(
    place: CloudCPlace,
    ref: string,
    version: string,
    material: KeyMaterial,
    journal: Journal,
  ): Promise<CloudCVersionRead>
  /**
   * SubjectPublicKeyInfo as PEM, and the algorithm in the interface's spelling. @throws Refusal CLOUD_INVALID for
   * symmetric keys
   */
  publicKey(place: CloudCPlace, ref: string, version: string): Promise<{ pem: string; algorithm: string }>

  policy(place: CloudCPlace, ref: string): Promise<CloudCPolicy>
  /**
   * Replaces all bindings.
   * @param policy.etag refuses with CLOUD_CONFLICT when the policy has changed since; without it, the last write wins
   */
  setPolicy(
    place: CloudCPlace,
    ref: string,
    policy: { readonly bindings: readonly CloudCBinding[]; readonly etag?: string | undefined },
  ): Promise<CloudCPolicy>

  /** One page of the audit log, oldest first. May be short or even empty although more follow. */
  auditEntries(entry: CloudCEntry, query: CloudCAuditQuery): Promise<CloudCPage<CloudCAuditEntry>>
}

export type CloudC = Cloud<CloudCConnection, CloudCPlace, CloudCKeySpec, CloudCKeyRead> &
  Versioning<CloudCPlace, CloudCVersionSpec, CloudCVersionRead, CloudCKeyRead> &
  CloudCOwn
