import type { Kty } from '../keys/key-specs.ts'

/** Times are in milliseconds throughout, except `nbf` and `exp`, which are in seconds as on the wire. */

/** Things in vaults, by the names of their collections. */
export interface Held {
  readonly keys: HeldKey
  readonly secrets: HeldSecret
  readonly certificates: HeldCertificate
}
export type Kind = keyof Held
export type VersionOf<K extends Kind> = Held[K]['versions'][number]

export interface HeldVersion {
  /** 32 lower-case hex digits */
  readonly id: string
  readonly createdAt: number
  updatedAt: number
  enabled: boolean
  nbf?: number | undefined
  exp?: number | undefined
  tags: Readonly<Record<string, string>>
}

/** Environments that may receive an exportable key. */
export interface ReleasePolicy {
  readonly contentType: string
  /** JSON text */
  readonly data: Buffer
  readonly immutable: boolean
}

export interface KeyVersion extends HeldVersion {
  readonly kty: Kty
  /** Size of RSA and octet keys. */
  readonly bits?: number | undefined
  /** Curve, as the wire spells it. */
  readonly crv?: string | undefined
  ops: readonly string[]
  readonly exportable: boolean
  releasePolicy?: ReleasePolicy | undefined
  /** Raw, or PKCS #8; generated at first use. */
  bytes?: Buffer | undefined
}

export interface SecretVersion extends HeldVersion {
  readonly value: string
  contentType?: string | undefined
}

export interface CertificateVersion extends HeldVersion {
  /** DER; absent while the certificate is pending */
  readonly cer?: Buffer | undefined
}

export interface HeldItem<V extends HeldVersion> {
  readonly vault: string
  readonly name: string
  /** Oldest first. */
  readonly versions: V[]
  /** Belongs to a certificate; only calls on the certificate change it. */
  readonly managed?: boolean | undefined
  deleted?: { readonly at: number; readonly purgeAt: number } | undefined
  /** A deletion or recovery in progress, for this number of reads. */
  transit?: { readonly state: 'deleting' | 'recovering'; readonly until: number; looksLeft: number } | undefined
  /** Number of reads that do not find it yet. */
  hiddenLooks?: number | undefined
}

export interface HeldKey extends HeldItem<KeyVersion> {
  rotationPolicy?: RotationPolicy | undefined
}

export type HeldSecret = HeldItem<SecretVersion>

export interface HeldCertificate extends HeldItem<CertificateVersion> {
  policy: Readonly<Record<string, unknown>>
  pending?: PendingCertificate | undefined
}

/** A pending certificate; its key pair exists already. */
export interface PendingCertificate {
  readonly version: string
  readonly createdAt: number
  readonly csr: Buffer
  /** PKCS #8 */
  readonly bytes: Buffer
  readonly requestId: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly tags: Readonly<Record<string, string>>
  readonly issuer: string
  status: 'inProgress' | 'completed' | 'cancelled'
}

/** Durations as ISO 8601 texts, as on the wire. */
export interface RotationPolicy {
  readonly createdAt: number
  readonly updatedAt: number
  readonly expiryTime?: string | undefined
  readonly actions: readonly {
    readonly type: 'Rotate' | 'Notify'
    readonly timeAfterCreate?: string | undefined
    readonly timeBeforeExpiry?: string | undefined
  }[]
}

export const DAY_MS = 86_400_000

/** Key of an item in maps. Names that differ only in case are the same name; the first spelling is kept. */
export const placeOf = (vault: string, name: string): string => `${vault}/${name.toLowerCase()}`

export const latest = <V extends HeldVersion>({ versions }: HeldItem<V>): V => {
  const last = versions.at(-1)
  if (last === undefined) throw new Error('An item without versions is not held.')
  return last
}

export const versionOf = <V extends HeldVersion>(item: HeldItem<V>, id: string): V | undefined =>
  id === '' ? item.versions.at(-1) : item.versions.find((version) => version.id === id)
