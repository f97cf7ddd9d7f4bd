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

/** How the cloud is entered: a connection's fields, secrets opened. */
export interface CloudCConnection {
  /** Tells connections apart, so that what is kept for one is not used for another: id and revision of the record. */
  readonly key: string
  /** JSON text of a service account's key file. `serviceAccountOf` tells what is in it. */
  readonly key_file: string
}

/** One key ring, entered by a connection. */
export interface CloudCPlace {
  readonly connection: CloudCConnection
  /** `projects/<p>/locations/<l>/keyRings/<r>` */
  readonly ring: string
  /** the request's own time, or the time a job's part is done for */
  readonly now: Date
  /** Ends every call that is under way: the request's time is up. */
  readonly budget: AbortSignal
  /** A request gives up on throttling after a few attempts; a job slows down and goes on. */
  readonly patience: 'request' | 'job'
}

/** A connection and its limits, where no ring is meant. */
export type CloudCEntry = Pick<CloudCPlace, 'connection' | 'budget' | 'patience'>

/** `ref` is the key's short id, unique in its ring. */
export interface CloudCKeyRead extends RemoteKey<CloudCParam> {
  /** Only keys that encrypt and decrypt have one. */
  readonly primary?: CloudCVersionRead
}

/** `ref` is the number of the version, as text. */
export type CloudCVersionRead = RemoteKey<CloudCVersionParam>

/** The key to make, in the words of the API: `cloud_c_params` of a request will do as it is. */
export interface CloudCKeySpec {
  /** Short id of the key: 1 to 63 of letters, digits, `_` and `-`. */
  readonly key_name: string
  readonly purpose: CloudCPurpose
  /** The default of the purpose without. */
  readonly algorithm?: CloudCAlgorithm | undefined
  readonly protection_level?: CloudCProtectionLevel | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** RFC 3339 */
  readonly next_rotation_time?: string | undefined
  /** `<n>s` */
  readonly rotation_period?: string | undefined
  /** `<n>s` */
  readonly destroy_scheduled_duration?: string | undefined
  /** Only imported versions: `create` then makes a key without any. */
  readonly import_only?: boolean | undefined
}

export interface CloudCVersionSpec {
  /** That of the key's template without. */
  readonly algorithm?: CloudCAlgorithm | undefined
}

/** Changes to a key; absent fields stay. */
export interface CloudCKeyChange {
  /** Takes the place of all labels but the service's own. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** `null` ends the cloud's own rotation, together with `rotation_period`. */
  readonly next_rotation_time?: string | null | undefined
  readonly rotation_period?: string | null | undefined
  /** Of versions made from now on. */
  readonly version_template_algorithm?: CloudCAlgorithm | undefined
}

export interface CloudCBinding {
  readonly role: string
  readonly members: readonly string[]
  /** Kept as it is. */
  readonly condition?: Readonly<Record<string, string>> | undefined
}

/** Permissions on a key at its cloud. */
export interface CloudCPolicy {
  readonly bindings: readonly CloudCBinding[]
  /** State of the policy that a change may be bound to. */
  readonly etag: string
}

/** One page of something looked up, and what to ask for the next one with. */
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
/** As `CloudCProject`, with the organization above it as far as we may see it. */
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

/** Which entries of the audit log: half-open, so that ranges which meet neither lose nor double an entry. */
export interface CloudCAuditQuery extends CloudCPageQuery {
  /** Full names, all of one project. */
  readonly rings: readonly [string, ...string[]]
  readonly from: Date
  readonly to: Date
}

/** One call to the cloud that concerned a ring, as its audit log tells it. */
export interface CloudCAuditEntry {
  /** Together with `time` and `log`, the same for the same entry however often it is read. */
  readonly insert_id: string
  readonly log: 'activity' | 'data_access' | 'other'
  /** RFC 3339 */
  readonly time: string
  /** last part of the method's name, such as `Encrypt` */
  readonly activity: string
  /** full name of what it was done to */
  readonly resource: string
  /** full name */
  readonly ring: string
  /** short ids, where a key, or a version of it, is concerned */
  readonly key_name?: string | undefined
  readonly version?: string | undefined
  /** e-mail of the principal */
  readonly user_name?: string | undefined
  /** code of a call that failed (`google.rpc.Code`), absent when it succeeded */
  readonly failed_code?: number | undefined
}

/** Verbs of cloud-c beyond those that every cloud has. */
export interface CloudCOwn {
  /** Projects the connection may see. */
  projects(entry: CloudCEntry, query: CloudCPageQuery): Promise<CloudCPage<CloudCProject>>
  /** `undefined` for a project the connection does not reach: the cloud does not tell that from one that is not there. */
  project(entry: CloudCEntry, projectId: string): Promise<CloudCProjectRead | undefined>
  /** Short ids, such as `europe-west3`. */
  locations(entry: CloudCEntry, projectId: string, query: CloudCPageQuery): Promise<CloudCPage<string>>
  rings(
    entry: CloudCEntry,
    projectId: string,
    location: string,
    query: CloudCPageQuery,
  ): Promise<CloudCPage<CloudCRing>>
  /** @param name full; `undefined` when it is not there */
  ring(entry: CloudCEntry, name: string): Promise<CloudCRing | undefined>
  /** Roles that can be granted on things of the project. */
  iamRoles(entry: CloudCEntry, projectId: string, query: CloudCPageQuery): Promise<CloudCPage<CloudCRole>>

  /** Safe to repeat. @returns the key as it is then */
  updateKey(place: CloudCPlace, ref: string, change: CloudCKeyChange): Promise<CloudCKeyRead>
  /**
   * Makes a version the one that encrypts. Safe to repeat.
   * @throws Refusal CLOUD_CONFLICT unless it is enabled; CLOUD_INVALID for keys that have no primary
   */
  setPrimary(place: CloudCPlace, ref: string, version: string): Promise<CloudCKeyRead>
  /** Safe to repeat, both. The key's own `destroy_scheduled_duration` says how long it waits. @returns it as it is then */
  destroyVersion(place: CloudCPlace, ref: string, version: string): Promise<CloudCVersionRead>
  /** Ends the wait; the version is disabled then. One that does not wait is left as it is. */
  restoreVersion(place: CloudCPlace, ref: string, version: string): Promise<CloudCVersionRead>
  /**
   * Removes a version whose material is destroyed, or never came. Safe to repeat. Its number is never given again.
   * @throws Refusal CLOUD_CONFLICT in any other state, and of a version that was imported
   */
  deleteVersion(place: CloudCPlace, ref: string, version: string): Promise<void>
  /**
   * Removes a key without versions. Safe to repeat. Its name is never given again.
   * @throws Refusal CLOUD_CONFLICT as long as it has any
   */
  deleteKey(place: CloudCPlace, ref: string): Promise<void>
  /**
   * Brings the same material into a version again that is destroyed or whose import failed. Safe to repeat.
   * @throws Refusal CLOUD_INVALID for other material
   */
  reimportVersion(
    place: CloudCPlace,
    ref: string,
    version: string,
    material: KeyMaterial,
    journal: Journal,
  ): Promise<CloudCVersionRead>
  /** SubjectPublicKeyInfo as PEM, and the algorithm in the interface's words. @throws Refusal CLOUD_INVALID of symmetric keys */
  publicKey(place: CloudCPlace, ref: string, version: string): Promise<{ pem: string; algorithm: string }>

  policy(place: CloudCPlace, ref: string): Promise<CloudCPolicy>
  /**
   * Takes the place of all bindings.
   * @param policy.etag refuses with CLOUD_CONFLICT when the policy is no longer in that state; without it the last one wins
   */
  setPolicy(
    place: CloudCPlace,
    ref: string,
    policy: { readonly bindings: readonly CloudCBinding[]; readonly etag?: string | undefined },
  ): Promise<CloudCPolicy>

  /** One page of the audit log, oldest first. May be short or even empty and others still follow. */
  auditEntries(entry: CloudCEntry, query: CloudCAuditQuery): Promise<CloudCPage<CloudCAuditEntry>>
}

export type CloudC = Cloud<CloudCConnection, CloudCPlace, CloudCKeySpec, CloudCKeyRead> &
  Versioning<CloudCPlace, CloudCVersionSpec, CloudCVersionRead> &
  CloudCOwn
