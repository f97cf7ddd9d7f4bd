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

/** How the cloud is entered: a connection's fields, secrets opened. */
export interface CloudBConnection {
  /** Tells connections apart, so that what is kept for one is not used for another: id and revision of the record. */
  readonly key: string
  readonly cloud_name: CloudBName
  readonly tenant_id: string
  readonly client_id: string
  readonly credential:
    | { readonly client_secret: string }
    /** both PEM */
    | { readonly certificate: string; readonly private_key: string }
}

/** A connection and its limits, where no vault is meant. */
export interface CloudBEntry {
  readonly connection: CloudBConnection
  /** Ends every call that is under way: the request's time is up. */
  readonly budget: AbortSignal
  /** A request gives up on throttling after a few attempts; a job slows down and goes on. */
  readonly patience: 'request' | 'job'
}

/** One vault or managed HSM pool, entered by a connection. */
export interface CloudBPlace extends CloudBEntry {
  /** `https://<vault>.<suffix>`, without a slash at the end */
  readonly vault_url: string
  /** the request's own time, or the time a job's part is done for */
  readonly now: Date
}

/** A name that is deleted and can be recovered. RFC 3339 */
export interface CloudBDeletion {
  readonly deleted_at: string
  readonly purge_at?: string | undefined
}

/** `ref` is `<name>/<version>`. */
export interface CloudBRead<Param extends object> extends RemoteKey<Param> {
  /** whether the cloud uses it where no version is named */
  readonly is_latest: boolean
  /** of the latest version of a name that is deleted: the cloud describes no other version of it */
  readonly deletion?: CloudBDeletion | undefined
}

/** Attributes that a caller sets; absent ones stay, or have the cloud's default. */
export interface CloudBSetting {
  readonly enabled?: boolean | undefined
  readonly nbf?: number | undefined
  readonly exp?: number | undefined
}

/** The body of a change; absent fields stay. */
export interface CloudBChange {
  readonly attributes?: CloudBSetting | undefined
  /** take the place of all tags but the service's own */
  readonly tags?: Readonly<Record<string, string>> | undefined
}

/** Reads very many versions. */
export interface CloudBSurvey<Param extends object> extends Survey<CloudBRead<Param>, Param> {
  /** Refs of all versions of the live ones among the names of refs. No further calls for names that were just read. */
  beside(refs: readonly string[]): Promise<readonly string[]>
}

/** The verbs that keys, secrets and certificates share. Names are unique in a vault within each of the three. */
export interface CloudBItems<Param extends object, Spec, Change extends CloudBChange> extends Omit<
  Cloud<never, CloudBPlace, Spec, CloudBRead<Param>>,
  'test' | 'upload' | 'refs' | 'survey'
> {
  /**
   * Versions of live names, each once, then the latest version of every deleted one. A name that may not be looked at is
   * `<name>/`, without a version; a survey of that refuses. The cursor is the adapter's own.
   * @throws Refusal CLOUD_INVALID for a cursor the cloud no longer knows
   */
  refs(place: CloudBPlace, cursor: string | undefined): Promise<RefPage>
  /** As `refs`, without the versions of live names that are known: they are not asked for. */
  refsBeyond(
    place: CloudBPlace,
    cursor: string | undefined,
    isKnown: (name: string) => Promise<boolean>,
  ): Promise<RefPage>
  /**
   * Reads very many versions. The versions of a name that are asked for one after another cost one list; a version whose
   * listed attributes and tags are those of the param that is known is not read again, and has that very param.
   */
  survey(place: CloudBPlace): Promise<Survey<CloudBRead<Param>, Param>>
  /** As `survey`, and what it learns of versions that it was not asked for. */
  surveyNames(place: CloudBPlace): Promise<CloudBSurvey<Param>>
  /** Refs of the versions of a live name, oldest first; empty when the cloud does not have it. */
  versions(place: CloudBPlace, name: string): Promise<readonly string[]>
  /** The version of a name that was made with a mark; `undefined` when there is none. */
  made(
    place: CloudBPlace,
    named: { readonly name: string; readonly mark: string },
  ): Promise<CloudBRead<Param> | undefined>
  /** Set as given, absent settings stay. Safe to repeat. @throws Refusal CLOUD_NOT_FOUND, also for a deleted name */
  update(place: CloudBPlace, ref: string, change: Change): Promise<CloudBRead<Param>>
  /** The deletion of a name; `undefined` when it is live, purged or never was. */
  deletion(place: CloudBPlace, name: string): Promise<CloudBDeletion | undefined>
  /** Deletions of a vault by name, in small letters. */
  deletions(place: CloudBPlace): Promise<ReadonlyMap<string, CloudBDeletion>>
  /**
   * Deletes a name, all versions together, and waits until the cloud has done it. Safe to repeat.
   * @returns `undefined` where the vault has no soft delete: it is final
   */
  remove(place: CloudBPlace, name: string): Promise<CloudBDeletion | undefined>
  /** Ends a deleted name for good. Safe to repeat. @throws Refusal CLOUD_CONFLICT under purge protection */
  purge(place: CloudBPlace, name: string): Promise<void>
  /** Brings a deleted name back, and waits until the cloud has done it. Safe to repeat. @throws Refusal CLOUD_NOT_FOUND */
  recover(place: CloudBPlace, name: string): Promise<void>
  /** Every version of a name, encrypted by the cloud for itself. */
  backup(place: CloudBPlace, name: string): Promise<Buffer>
  /**
   * Brings a backup in, with all of its versions. @returns refs of the versions, oldest first
   * @throws Refusal CLOUD_CONFLICT when the name is there, live or deleted; CLOUD_INVALID for a backup of another
   *   subscription or geography
   */
  restore(place: CloudBPlace, backup: Buffer): Promise<readonly string[]>
}

/** Of everything that is made in a vault. */
export interface CloudBMaking {
  readonly name: string
  /**
   * Id of the record to be, which the version gets as a tag: a version that has it was made already, and is found before
   * another one is made.
   */
  readonly mark: string
  readonly attributes?: CloudBSetting | undefined
  readonly tags?: Readonly<Record<string, string>> | undefined
}

/** A key version to make there, or to bring material into. */
export interface CloudBKeySpec extends CloudBMaking {
  /** Of a key that the cloud makes; an uploaded one has that of its material. */
  readonly kty?: CloudBKeyType | undefined
  readonly crv?: CloudBCurve | undefined
  /** bits, of RSA and octet keys */
  readonly key_size?: number | undefined
  readonly key_ops?: readonly CloudBKeyOp[] | undefined
  readonly exportable?: boolean | undefined
  readonly release_policy?: CloudBReleasePolicy | undefined
  /** Of an upload: the material goes into the vault's hardware. */
  readonly hsm?: boolean | undefined
  /** Of an upload to hardware: the key-exchange key, by its `kid`; a `kid` without version means the latest. */
  readonly kek_kid?: string | undefined
}

export interface CloudBKeyChange extends CloudBChange {
  readonly key_ops?: readonly CloudBKeyOp[] | undefined
  readonly release_policy?: CloudBReleasePolicy | undefined
}

export interface CloudBKeys extends CloudBItems<CloudBKeyParam, CloudBKeySpec, CloudBKeyChange> {
  /**
   * Brings material in: as JWK, or wrapped under a key-exchange key where the spec names one.
   * @throws Refusal RULE_BROKEN for material of a kind that vaults do not hold
   */
  upload(
    place: CloudBPlace,
    spec: CloudBKeySpec,
    material: KeyMaterial,
    journal: Journal,
  ): Promise<CloudBRead<CloudBKeyParam>>
}

export interface CloudBSecretSpec extends CloudBMaking {
  /** never kept: it is in the saga's sealed input alone */
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
/** A certificate that waits for its issuer is read as one without `cer`. */
export type CloudBCertificates = CloudBItems<CloudBCertificateParam, CloudBCertificateSpec, CloudBChange>

export interface CloudBSubscription {
  readonly subscription_id: string
  readonly display_name: string
  readonly tenant_id: string
  readonly state: string
}

/** A vault or managed HSM pool, as the management address describes it. */
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

/** One page of something looked up, and what to ask for the next one with. */
export interface CloudBPage<Item> {
  readonly items: readonly Item[]
  readonly next_link?: string | undefined
}
export interface CloudBPageQuery {
  readonly subscription_id: string
  readonly limit: number
  /** of a page before. @throws Refusal CLOUD_INVALID for an address that is not the cloud's own */
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
  /** application that called, by its client id */
  readonly client_id?: string | undefined
  /** HTTP status of a call that failed */
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

/** The cloud, as the rest of the slice knows it. Verbs throw as those of every cloud do (`cloud/contract.ts`). */
export interface CloudB {
  /** Lists subscriptions. */
  test(connection: CloudBConnection, budget: AbortSignal): Promise<void>
  subscriptions(entry: CloudBEntry): Promise<readonly CloudBSubscription[]>
  vaults(entry: CloudBEntry, query: CloudBPageQuery): Promise<CloudBPage<CloudBVaultRead>>
  managedHsms(entry: CloudBEntry, query: CloudBPageQuery): Promise<CloudBPage<CloudBVaultRead>>
  /** A vault or pool of a subscription by its name, wherever it is now; `undefined` when it is gone or soft-deleted. */
  vault(
    entry: CloudBEntry,
    named: { readonly subscription_id: string; readonly name: string; readonly managed_hsm: boolean },
  ): Promise<CloudBVaultRead | undefined>
  logEntries(entry: CloudBEntry, query: CloudBLogQuery): Promise<{ entries: readonly CloudBLogEntry[]; next?: string }>
  readonly keys: CloudBKeys
  readonly secrets: CloudBSecrets
  readonly certificates: CloudBCertificates
}
