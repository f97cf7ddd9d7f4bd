/** Times are in milliseconds throughout. */

export const TYPES = ['Data', 'DeterministicData', 'EventBus', 'Analytics', 'SearchIndex', 'Database'] as const
export type SecretType = (typeof TYPES)[number]
export type SecretStatus = 'ACTIVE' | 'ARCHIVED' | 'DESTROYED'
export type SecretSource = 'HSM' | 'UPLOADED' | 'REMOTE'
export type DerivationMode = 'PBKDF2' | 'NONE'
export type WrapHash = 'sha1' | 'sha512'

/** Settings of an organization that its administrator can change. */
export interface Settings {
  /** Every organization starts without the first three. */
  readonly enableCacheOnlyKeys: boolean
  readonly enableReplayDetection: boolean
  readonly canOptOutOfDerivationWithBYOK: boolean
  /** Whether users can log in with their password through an application; newer organizations refuse it. */
  readonly allowsPasswordFlow: boolean
  /** Whether a password must be followed by the security token. */
  readonly needsSecurityToken: boolean
  readonly isHyperforce: boolean
  readonly hasEventMonitoring: boolean
  /** Hashes of OAEP that it accepts in uploads. */
  readonly wrapHashes: readonly WrapHash[]
}

export interface HeldOrganization {
  readonly id: string
  readonly name: string
  readonly isSandbox: boolean
  settings: Settings
  /** Key of exported secrets, which only this organization can read. */
  readonly exportKey: Buffer
}

/** Where the organization fetches a cache-only key. */
export interface HeldSource {
  readonly keyId: string
  readonly credentialId: string
  /** Unique name of the wrapping certificate. */
  readonly certificate: string
}

/** Attempts to fetch a key after a failed one. */
export interface Retries {
  readonly since: number
  readonly last: number
}

export interface HeldSecret {
  readonly id: string
  readonly organizationId: string
  readonly number: number
  description: string | null
  readonly type: SecretType
  status: SecretStatus
  readonly source: SecretSource
  readonly mode: DerivationMode
  readonly createdAt: number
  changedAt: number
  readonly createdBy: string
  changedBy: string
  /** 32 bytes; absent after destruction, and for a cache-only key whose last fetch failed. */
  material?: Buffer | undefined
  /** Base64 of the digest that an upload contained. */
  readonly hash?: string
  remote?: HeldSource
  /** When a cache-only key was last fetched. */
  fetchedAt?: number | undefined
  retries?: Retries | undefined
}

export interface HeldCertificate {
  readonly id: string
  readonly organizationId: string
  /** unique */
  readonly developerName: string
  readonly masterLabel: string
  readonly keySize: number
  readonly expiresAt: number
  readonly isCaSigned: boolean
  readonly isEncryptedWithPlatform: boolean
  readonly isExportable: boolean
  /** Whether the signed chain was never imported. */
  readonly isUnusable: boolean
  readonly createdAt: number
  /** Its key, PKCS #8, and itself in PEM; both made at first use, because large keys take long. */
  made?: { readonly privateKey: Buffer; readonly pem: string } | undefined
}

/** How callouts of a named credential authenticate themselves. */
export type CalloutLogin =
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  | {
      readonly kind: 'jwt'
      /** Unique name of the signing certificate, and `kid` of the token. */
      readonly certificate: string
      readonly issuer: string
      readonly subject: string
      readonly audience: string
      /** Claims that the administrator adds, such as `scope`. */
      readonly claims?: Readonly<Record<string, unknown>>
    }

export interface HeldCredential {
  readonly id: string
  readonly organizationId: string
  readonly developerName: string
  readonly masterLabel: string
  /** Base of its addresses. */
  readonly endpoint: string
  readonly login: CalloutLogin
  /** The newer kind: the organization does not show its endpoint and does not publish its signing certificate. */
  readonly isExternal: boolean
  /** Whether the user of automated processes may use it; matters for the newer kind only. */
  readonly isOpenToProcesses: boolean
}

/** A row of an event log file. */
export interface HeldEvent {
  readonly id: string
  readonly organizationId: string
  readonly at: number
  readonly action: string
  readonly secretId: string
  readonly type: SecretType
  readonly userId: string
}

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
