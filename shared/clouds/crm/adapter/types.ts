import type { Cloud, RemoteKey } from '../../../cloud/contract.ts'
import type { CrmKeyType, CrmName, CrmParam, KeyDerivationMode, WrapHash } from '../param.ts'

/** A token, and where it is accepted. */
export interface Session {
  readonly token: string
  /** without a final slash */
  readonly instance: string
}

/** The session of a connection that all instances use. Both methods do without it when the table fails. */
export interface SharedSession {
  read(): Promise<Session | undefined>
  /** Keeps a new session, in the place of a former one. */
  keep(session: Session): Promise<void>
}

/** Credentials for the cloud: a connection's fields, with its secrets in the clear. */
export interface CrmConnection {
  /** unique cache key */
  readonly key: string
  readonly cloud_name: CrmName
  readonly client_id: string
  readonly username: string
  /** `private_key` is PEM */
  readonly credential: { readonly client_secret: string; readonly password: string } | { readonly private_key: string }
  /** another address than that of the edition */
  readonly login_host?: string | undefined
  readonly api_version: string
  readonly wrap_hash: WrapHash
  /** absent while the connection is tested: a test logs in itself */
  readonly shared?: SharedSession | undefined
}

/** A connection and the limits of its calls, without an organization. */
export interface CrmEntry {
  readonly connection: CrmConnection
  /** aborts every call in progress when the request's time is over */
  readonly budget: AbortSignal
  readonly patience: 'request' | 'job'
}

/** One organization, and the connection that gives access to it. */
export interface CrmPlace extends CrmEntry {
  readonly domain: string
  readonly organization: {
    /** id of its record */
    readonly id: string
    /** the cloud's id */
    readonly organization_id: string
    readonly is_sandbox: boolean
  }
  /** the request's time, or that of the part of a job */
  readonly now: Date
}

export interface CrmOrganization {
  readonly organization_id: string
  readonly name: string
  readonly is_sandbox: boolean
  readonly instance_url: string
}

/** `ref` is the cloud's id of the secret. */
export interface CrmSecretRead extends RemoteKey<CrmParam> {
  /** id of the work of this service that created it */
  readonly mark?: string | undefined
}

/** The cloud's description of a certificate, in the words of the record. */
export interface CrmCertificateParam {
  readonly crm_certificate_id: string
  readonly name: string
  readonly label: string
  readonly key_size: number
  readonly expires_at?: string | undefined
  readonly exportable: boolean
  readonly platform_encryption: boolean
  readonly is_unusable: boolean
}
/** `ref` is the cloud's id of the certificate. */
export type CrmCertificateRead = RemoteKey<CrmCertificateParam>

export interface CrmCertificateSpec {
  /** unique name in the organization */
  readonly name: string
  readonly exportable: boolean
  readonly platform_encryption: boolean
}

/** The secret to create. */
export interface CrmSecretSpec {
  readonly type: CrmKeyType
  readonly description: string
  /** of uploaded material */
  readonly upload?: { readonly key_derivation_mode: KeyDerivationMode; readonly certificate: string } | undefined
}

/** The cache-only key to register. */
export interface CrmRemoteSpec {
  readonly type: CrmKeyType
  readonly description: string
  readonly kid: string
  /** the cloud's id of the named credential */
  readonly named_credential_id: string
  /** unique name of the certificate */
  readonly certificate: string
}

export interface CrmNamedCredential {
  readonly id: string
  readonly name: string
  readonly endpoint: string | null
}

/** A record of the cloud's log of platform encryption. */
export interface CrmActivity {
  readonly id: string
  readonly time: string
  readonly activity: string
  /** the cloud's id of the secret; empty if the record has none */
  readonly ref: string
  readonly user: string
}

/** Operations of crm beyond those that every cloud has. */
export interface CrmOwn {
  organization(entry: CrmEntry): Promise<CrmOrganization>
  namedCredentials(entry: CrmEntry): Promise<readonly CrmNamedCredential[]>
  /**
   * The public key of a certificate, by its unique name: SubjectPublicKeyInfo in DER. @throws Refusal RULE_BROKEN for a
   * certificate that cannot wrap cache-only keys
   */
  certificateKey(place: CrmPlace, name: string): Promise<Buffer>
  /**
   * Registers a cache-only key, during which the cloud fetches it. `registered` finds that of an earlier run.
   * @returns the cloud's id; nothing more is read, because a refused reading would hide that it was made
   */
  register(place: CrmPlace, spec: CrmRemoteSpec): Promise<string>
  /** The secret with a kid. */
  registered(place: CrmPlace, kid: string): Promise<CrmSecretRead | undefined>
  /** Safe to repeat. */
  describe(place: CrmPlace, ref: string, description: string): Promise<void>
  /** The cloud's own export of a secret. */
  exported(place: CrmPlace, ref: string): Promise<string>
  /** Safe to repeat. */
  destroy(place: CrmPlace, ref: string): Promise<void>
  /** Safe to repeat. @param value as `exported` */
  importAgain(place: CrmPlace, ref: string, value: string): Promise<void>
  /** Safe to repeat. */
  activate(place: CrmPlace, ref: string): Promise<void>
  /** Log files that end within a span, oldest first. @throws Refusal CLOUD_DENIED without the licence */
  logFiles(entry: CrmEntry, from: Date, to: Date): Promise<readonly string[]>
  activity(entry: CrmEntry, logFile: string): Promise<readonly CrmActivity[]>
}

export type Crm = Cloud<CrmConnection, CrmPlace, CrmSecretSpec, CrmSecretRead> & CrmOwn
export type CrmCertificates = Pick<
  Cloud<CrmConnection, CrmPlace, CrmCertificateSpec, CrmCertificateRead>,
  'refs' | 'read' | 'survey' | 'create'
>
