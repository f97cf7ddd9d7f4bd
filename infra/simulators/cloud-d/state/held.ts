/** Times are in milliseconds throughout. */

/** States of a key version, by the cloud's names. */
export type VersionState =
  | 'CREATING'
  | 'ENABLING'
  | 'ENABLED'
  | 'DISABLING'
  | 'DISABLED'
  | 'DELETING'
  | 'DELETED'
  | 'PENDING_DELETION'
  | 'SCHEDULING_DELETION'
  | 'CANCELLING_DELETION'

export type KeyState = VersionState | 'UPDATING' | 'BACKUP_IN_PROGRESS' | 'RESTORING'

export type VaultState = Exclude<KeyState, 'ENABLING' | 'ENABLED' | 'DISABLING' | 'DISABLED'> | 'ACTIVE'

/** A resource with a life cycle. */
export interface Living<State extends string> {
  state: State
  /** The change in progress, and its end. */
  transit?: { readonly to: State; readonly endsAt: number } | undefined
  /** State before its deletion was scheduled. */
  before?: State | undefined
  deleteAt?: number | undefined
  /** Number of changes so far, from which the etag is derived. */
  revision: number
}

export type FreeformTags = Readonly<Record<string, string>>
/** Values by namespace and key. */
export type DefinedTags = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface Tagged {
  displayName: string
  freeformTags: FreeformTags
  definedTags: DefinedTags
}

export const VAULT_TYPES = ['DEFAULT', 'VIRTUAL_PRIVATE', 'EXTERNAL'] as const
export type VaultType = (typeof VAULT_TYPES)[number]

/** How the cloud connects to the key manager of an external vault. */
export interface ExternalManager {
  readonly endpointUrl: string
  readonly privateEndpointId: string
  /** Address of the identity domain whose tokens the key manager accepts. */
  readonly domainUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** As in the key manager's metadata. */
  readonly vendor: string
}

export interface HeldVault extends Living<VaultState>, Tagged {
  readonly id: string
  /** Part of the vault's addresses and of the ids of its keys. */
  readonly short: string
  readonly region: string
  readonly tenancyId: string
  compartmentId: string
  readonly vaultType: VaultType
  readonly createdAt: number
  readonly wrappingKeyId: string
  /** The private wrapping key, PKCS #8; generated at first use. */
  wrappingKey?: Buffer | undefined
  readonly external?: ExternalManager
}

export interface Shape {
  readonly algorithm: 'AES' | 'RSA' | 'ECDSA'
  /** in bytes */
  readonly length: number
  readonly curveId?: string
}

export interface HeldVersion extends Living<VersionState> {
  readonly id: string
  readonly createdAt: number
  readonly origin: 'INTERNAL' | 'EXTERNAL'
  /** Raw, or PKCS #8; generated at first use. */
  bytes?: Buffer | undefined
  /** Version of the key at the external key manager. */
  readonly externalVersionId?: string
  readonly isAutoRotated?: true
}

/** Automatic rotation by the cloud. */
export interface AutoRotation {
  readonly days: number
  readonly nextAt: number
  readonly lastAt?: number
}

export const PROTECTION_MODES = ['HSM', 'SOFTWARE', 'EXTERNAL'] as const
export type ProtectionMode = (typeof PROTECTION_MODES)[number]

export interface HeldKey extends Living<KeyState>, Tagged {
  readonly id: string
  readonly vaultId: string
  compartmentId: string
  readonly shape: Shape
  readonly protectionMode: ProtectionMode
  readonly createdAt: number
  /** Oldest first. */
  readonly versions: HeldVersion[]
  /** Id of the version that encrypts. */
  current: string
  /** Id of the version that becomes current when the present change ends. */
  next?: string | undefined
  /** Whether the scheduled deletion of its vault scheduled it. */
  byVault?: boolean | undefined
  autoRotation?: AutoRotation | undefined
  readonly restoredFrom?: string
  /** Id of the key at the external key manager. */
  readonly externalKeyId?: string
}

/** An event of the audit service. */
export interface HeldEvent {
  readonly eventId: string
  readonly region: string
  readonly tenancyId: string
  readonly at: number
  /** Its other members, in the form of the wire. */
  readonly event: { readonly data: Readonly<Record<string, unknown>>; readonly [member: string]: unknown }
}

/** An object in a bucket. */
export interface HeldObject {
  /** `<namespace>/<region>/<bucket>/<object>` */
  readonly name: string
  readonly createdAt: number
  readonly content: string
}

export const DAY_MS = 86_400_000

export const versionOf = ({ versions }: HeldKey, id: string): HeldVersion | undefined =>
  versions.find((version) => version.id === id)
