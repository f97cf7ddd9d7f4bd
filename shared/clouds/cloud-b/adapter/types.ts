import type { Journal } from '../../../base/journal.ts'
import type { Cloud, RemoteKey, Survey } from '../../../cloud/contract.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import type { RefPage } from '../../../work/synchronize/synchronized.ts'
import type {
  CloudBCertificateParam,
  CloudBCurve,
  CloudBKeyOp,
  CloudBKeyParam,
  CloudBKeyType,
  CloudBName,
  CloudBReleasePolicy,
  CloudBSecretParam,
} from '../param.ts'

/** Credentials to the cloud: a connection's fields, with opened secrets. */
export interface CloudBConnection {
  /** Cache key, unique to a connection and its revision: cached data of one is not used for another. */
  readonly key: string
  readonly cloud_name: CloudBName
  readonly tenant_id: string
  readonly client_id: string
  readonly credential:
    | { readonly client_secret: string }
    /** both PEM */
    | { readonly certificate: string; readonly private_key: string }
}

/** A connection and its limits, for calls that concern no vault. */
export interface CloudBEntry {
  readonly connection: CloudBConnection
  /** Aborts every call under way when the request's time is up. */
  readonly budget: AbortSignal
  /** A request stops after a few throttled attempts; a job slows down and continues. */
  readonly patience: 'request' | 'job'
}

/** One vault or managed HSM pool, accessed through a connection. */
export interface CloudBPlace extends CloudBEntry {
  /** `https://<vault>.<suffix>`, without a trailing slash */
  readonly vault_url: string
  /** the time of the request, or of the job's part */
  readonly now: Date
}

/** The deletion of a name, which can be recovered. Times are RFC 3339. */
export interface CloudBDeletion {
  readonly deleted_at: string
  readonly purge_at?: string | undefined
}

/** `ref` is `<name>/<version>`. */
export interface CloudBRead<Param extends object> extends RemoteKey<Param> {
  /** whether the cloud uses it by default */
  readonly is_latest: boolean
  /** set for the latest version of a deleted name: the cloud describes no other version of it */
  readonly deletion?: CloudBDeletion | undefined
}

/** Attributes in a request; absent ones stay, or get the cloud's default. */
export interface CloudBSetting {
  readonly enabled?: boolean | undefined
  readonly nbf?: number | undefined
  readonly exp?: number | undefined
}

/** The body of a change; absent fields stay. */
export interface CloudBChange {
  readonly attributes?: CloudBSetting | undefined
  /** replace all tags except the service's own */
  readonly tags?: Readonly<Record<string, string>> | undefined
}

/** Reads very many versions. */
export interface CloudBSurvey<Param extends object> extends Survey<CloudBRead<Param>, Param> {
  /** Refs of all versions of those names in refs that are live. No further calls for names that were just read. */
  beside(refs: readonly string[]): Promise<readonly string[]>
}

/** The verbs that keys, secrets and certificates share. Names are unique in a vault within each of the three. */
export interface CloudBItems<Param extends object, Spec, Change extends CloudBChange> extends Omit<
  Cloud<never, CloudBPlace, Spec, CloudBRead<Param>>,
  'test' | 'upload' | 'refs' | 'survey'
> {
  /**
   * Versions of live names, each once, then the latest version of every deleted name. A name that may not be read is
   * `<name>/`, without a version; a survey throws its refusal. The cursor is the adapter's own.
   * @throws Refusal CLOUD_INVALID for a cursor that the cloud no longer knows
   */
  refs(place: CloudBPlace, cursor: string | undefined): Promise<RefPage>
  /** As `refs`, but omits known live names and does not read their versions. */
  refsBeyond(
    place: CloudBPlace,
    cursor: string | undefined,
    isKnown: (name: string) => Promise<boolean>,
  ): Promise<RefPage>
  /**
   * Reads very many versions. Consecutive reads of versions of one name cost one list. A version whose listed
   * attributes and tags equal those of its known param is not read again; the result contains the same param object.
   */
  survey(place: CloudBPlace): Promise<Survey<CloudBRead<Param>, Param>>
  /** As `survey`; also returns the other versions that it read. */
  surveyNames(place: CloudBPlace): Promise<CloudBSurvey<Param>>
  /** Refs of the versions of a live name, oldest first; empty when the cloud does not have it. */
  versions(place: CloudBPlace, name: string): Promise<readonly string[]>
  /** The version of a name with a mark; `undefined` when none has it. */
  made(
    place: CloudBPlace,
    named: { readonly name: string; readonly mark: string },
  ): Promise<CloudBRead<Param> | undefined>
  /**
   * Changes the given settings; absent ones stay. Safe to repeat. @throws Refusal CLOUD_NOT_FOUND, also for a deleted
   * name
   */
  update(place: CloudBPlace, ref: string, change: Change): Promise<CloudBRead<Param>>
  /** The deletion of a name; `undefined` when it is live, purged or never existed. */
  deletion(place: CloudBPlace, name: string): Promise<CloudBDeletion | undefined>
  /** Deletions of a vault, by name in lower case. */
  deletions(place: CloudBPlace): Promise<ReadonlyMap<string, CloudBDeletion>>
  /**
   * Deletes a name with all versions, and waits until the cloud has finished. Safe to repeat.
   * @returns `undefined` if the vault has no soft delete, which makes the deletion final
   */
  remove(place: CloudBPlace, name: string): Promise<CloudBDeletion | undefined>
  /** Purges a deleted name, which is final. Safe to repeat. @throws Refusal CLOUD_CONFLICT under purge protection */
  purge(place: CloudBPlace, name: string): Promise<void>
  /**
   * Recovers a deleted name, and waits until the cloud has finished. Safe to repeat. @throws Refusal CLOUD_NOT_FOUND
   */
  recover(place: CloudBPlace, name: string): Promise<void>
  /** A backup of every version of a name, encrypted so that only the cloud can read it. */
  backup(place: CloudBPlace, name: string): Promise<Buffer>
  /**
   * Restores a backup, with all of its versions. @returns refs of the versions, oldest first
   * @throws Refusal CLOUD_CONFLICT when the name exists, live or deleted; CLOUD_INVALID for a backup of another
   * subscription or geography
   */
  restore(place: CloudBPlace, backup: Buffer): Promise<readonly string[]>
}

/** Fields common to everything created in a vault. */
export interface CloudBMaking {
  readonly name: string
  /**
   * Id of the future record, which the version gets as a tag: a retry finds a version with this tag instead of creating
   * another.
   */
  readonly mark: string
  readonly attributes?: CloudBSetting | undefined
  readonly tags?: Readonly<Record<string, string>> | undefined
}

/** A key version to create, or to import material into. */
export interface CloudBKeySpec extends CloudBMaking {
  /** For a key that the cloud generates; an uploaded one has the type of its material. */
  readonly kty?: CloudBKeyType | undefined
  readonly crv?: CloudBCurve | undefined
  /** bits, for RSA and octet keys */
  readonly key_size?: number | undefined
  readonly key_ops?: readonly CloudBKeyOp[] | undefined
  readonly exportable?: boolean | undefined
  readonly release_policy?: CloudBReleasePolicy | undefined
  /** For an upload: whether the material is imported into the vault's hardware. */
  readonly hsm?: boolean | undefined
  /** For an upload to hardware: the key-exchange key, by its `kid`; without a version, the latest one. */
  readonly kek_kid?: string | undefined
}

export interface CloudBKeyChange extends CloudBChange {
  readonly key_ops?: readonly CloudBKeyOp[] | undefined
  readonly release_policy?: CloudBReleasePolicy | undefined
}

export interface CloudBKeys extends CloudBItems<CloudBKeyParam, CloudBKeySpec, CloudBKeyChange> {
  /**
   * Imports material: as JWK, or wrapped under a key-exchange key if the spec names one.
   * @throws Refusal RULE_BROKEN for material that vaults do not support
   */
  upload(
    place: CloudBPlace,
    spec: CloudBKeySpec,
    material: KeyMaterial,
    journal: Journal,
  ): Promise<CloudBRead<CloudBKeyParam>>
}

export interface CloudBSecretSpec extends CloudBMaking {
  /** never stored in a record, only in the saga's sealed input */
  readonly value: string
  readonly contentType?: string | undefined
}
export interface CloudBSecretChange extends CloudBChange {
  readonly contentType?: string | undefined
}
export type CloudBSecrets = CloudBItems<CloudBSecretParam, CloudBSecretSpec, CloudBSecretChange>

/** A certificate to have issued by `policy`, or to import: exactly one of `policy` and `pfx`. */
export interface CloudBCertificateSpec extends CloudBMaking {
  readonly policy?: Readonly<Record<string, unknown>> | undefined
  /** PKCS #12, Base64, and its password */
  readonly pfx?: string | undefined
  readonly password?: string | undefined
}
/** A certificate that is not issued yet has no `cer`. */
export type CloudBCertificates = CloudBItems<CloudBCertificateParam, CloudBCertificateSpec, CloudBChange>

export interface CloudBSubscription {
  readonly subscription_id: string
  readonly display_name: string
  readonly tenant_id: string
  readonly state: string
}

/** A vault or managed HSM pool, as the management API describes it. */
export interface CloudBVaultRead {
  readonly name: string
  /** resource id */
  readonly cloud_vault_id: string
  readonly subscription_id: string
  readonly resource_group: string
  readonly location: string
  readonly tenant: string
  readonly sku: 'standard' | 'premium' | 'managed-hsm'
  readonly managed_hsm: boolean
  readonly vault_url: string
  readonly soft_delete_enabled: boolean
  readonly soft_delete_retention_days?: number | undefined
  readonly purge_protection: boolean
  readonly tags: Readonly<Record<string, string>>
}

/** One page of a look-up, and the link to the next one. */
export interface CloudBPage<Item> {
  readonly items: readonly Item[]
  readonly next_link?: string | undefined
}
export interface CloudBPageQuery {
  readonly subscription_id: string
  readonly limit: number
  /** from the previous page. @throws Refusal CLOUD_INVALID for an address that is not the cloud's own */
  readonly next_link?: string | undefined
}

/** One entry of a vault's diagnostic log. */
export interface CloudBLogEntry {
  readonly id: string
  /** RFC 3339 */
  readonly time: string
  /** operation such as KeyCreate */
  readonly activity: string
  /** absent for operations on the vault */
  readonly key_name?: string | undefined
  readonly user_name?: string | undefined
  /** client id of the calling application */
  readonly client_id?: string | undefined
  /** HTTP status of a failed call */
  readonly failed_code?: string | undefined
}
export interface CloudBLogQuery {
  readonly log_workspace_id: string
  /** resource id of the vault */
  readonly cloud_vault_id: string
  readonly from: Date
  /** exclusive */
  readonly to: Date
  readonly rows: number
  readonly cursor?: string | undefined
}

/** The cloud's interface for the rest of the slice. Verbs throw like those of every cloud (`cloud/contract.ts`). */
export interface CloudB {
  /** Lists subscriptions. */
  test(connection: CloudBConnection, budget: AbortSignal): Promise<void>
  subscriptions(entry: CloudBEntry): Promise<readonly CloudBSubscription[]>
  vaults(entry: CloudBEntry, query: CloudBPageQuery): Promise<CloudBPage<CloudBVaultRead>>
  managedHsms(entry: CloudBEntry, query: CloudBPageQuery): Promise<CloudBPage<CloudBVaultRead>>
  /**
   * A vault or pool of a subscription, by its name, in any resource group; `undefined` when it is gone or soft-deleted.
   */
  vault(
    entry: CloudBEntry,
    named: { readonly subscription_id: string; readonly name: string; readonly managed_hsm: boolean },
  ): Promise<CloudBVaultRead | undefined>
  logEntries(entry: CloudBEntry, query: CloudBLogQuery): Promise<{ entries: readonly CloudBLogEntry[]; next?: string }>
  readonly keys: CloudBKeys
  readonly secrets: CloudBSecrets
  readonly certificates: CloudBCertificates
}
