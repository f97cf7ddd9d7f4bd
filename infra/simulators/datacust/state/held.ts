/** Times are in milliseconds throughout. */

export const OPERATIONS = ['DECRYPT', 'ENCRYPT', 'SIGN', 'UNWRAP', 'VERIFY', 'WRAP'] as const
export type Operation = (typeof OPERATIONS)[number]

export const KEY_TYPES = ['AES', 'RSA', 'EC'] as const
export type KeyType = (typeof KEY_TYPES)[number]

/** Secret of a technical user, which activation replaces. */
export interface HeldCredential {
  readonly apiKey: string
  secret: string
  isActivated: boolean
}

export interface HeldVersion {
  readonly number: number
  readonly createdAt: number
  enabled: boolean
  operations: readonly Operation[]
  /** Raw, or PKCS #8; generated at first use. */
  bytes?: Buffer | undefined
  readonly imported: boolean
}

/** A key that wraps the material of one other key, in a group whose keys another provider keeps. */
export interface ImportKey {
  readonly targetKeyId: string
  readonly algorithm: string
}

export interface HeldKey {
  readonly id: string
  readonly tenantId: string
  readonly groupId: string
  name: string
  description: string
  readonly type: KeyType
  /** in bits */
  readonly size: number
  /** of an EC key, by the platform's name */
  readonly curve?: string
  operations: readonly Operation[]
  readonly role: string
  enabled: boolean
  readonly exportable: boolean
  readonly imported: boolean
  /** Oldest first; none before the first import. */
  readonly versions: HeldVersion[]
  readonly createdAt: number
  changedAt: number
  readonly creator: { readonly id: string; readonly name: string }
  lastUsed?: number | undefined
  readonly importKey?: ImportKey
  /** Id at another provider, or at the customer's own key store. */
  readonly nativeId?: string
  /** End of a restoration. */
  restoringUntil?: number | undefined
}

/** A name under which applications use a key. */
export interface HeldReference {
  readonly id: string
  readonly tenantId: string
  name: string
  keyId: string
  readonly allowsExchange: boolean
  readonly createdAt: number
}

/** A customer-held key store that a group uses. */
export interface HeldStore {
  readonly groupId: string
  readonly url: string
  readonly certificateId: string
}

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
