import type { ImportMethod, ProtectionLevel, Purpose, VersionState } from './enums.ts'

/** Times are in milliseconds throughout. */

export interface Binding {
  readonly role: string
  readonly members: readonly string[]
  readonly condition?: Readonly<Record<string, unknown>>
}

/** IAM policy of a resource; absent until it is first set. */
export interface HeldPolicy {
  readonly bindings: readonly Binding[]
  readonly etag: string
}

export interface HeldRing {
  /** `projects/<p>/locations/<l>/keyRings/<r>` */
  readonly name: string
  readonly createdAt: number
  policy?: HeldPolicy
}

export interface HeldVersion {
  readonly number: number
  state: VersionState
  readonly algorithm: string
  readonly protectionLevel: ProtectionLevel
  readonly createdAt: number
  generatedAt?: number | undefined
  importedAt?: number | undefined
  /** Full name of the job of the last import. */
  importJob?: string | undefined
  importFailure?: string | undefined
  destroyAt?: number | undefined
  destroyedAt?: number | undefined
  /** Raw, or PKCS #8; generated at first use. */
  bytes?: Buffer | undefined
  /** SHA-256 of imported bytes. It stays when they are destroyed, because only the same bytes may be imported again. */
  digest?: string | undefined
  /** Result of an import that is still pending. */
  verdict?: { readonly bytes: Buffer } | { readonly failure: string } | undefined
  /** Number of reads that still see it pending. */
  looksLeft: number
}

export interface HeldKey {
  /** `<ring>/cryptoKeys/<k>` */
  readonly name: string
  readonly createdAt: number
  readonly purpose: Purpose
  template: { readonly algorithm: string; readonly protectionLevel: ProtectionLevel }
  labels: Readonly<Record<string, string>>
  nextRotationAt?: number | undefined
  rotationPeriodMs?: number | undefined
  readonly destroyMs: number
  readonly importOnly: boolean
  /** Number of the version that encrypts. */
  primary?: number | undefined
  /** Oldest first. */
  readonly versions: HeldVersion[]
  /** The highest number of a deleted version; numbers are not reused. */
  lastDeleted?: number | undefined
  policy?: HeldPolicy
}

export interface HeldJob {
  /** `<ring>/importJobs/<j>` */
  readonly name: string
  readonly createdAt: number
  readonly method: ImportMethod
  readonly protectionLevel: ProtectionLevel
  /** The private wrapping key, PKCS #8, once it is generated. */
  pkcs8?: Buffer | undefined
  looksLeft: number
}

/** An entry of an audit log, in the form of the wire. */
export interface HeldEntry {
  readonly insertId: string
  readonly logName: string
  readonly timestamp: string
  readonly resource: { readonly type: string; readonly labels: Readonly<Record<string, string>> }
  readonly protoPayload: Readonly<Record<string, unknown>>
  readonly [member: string]: unknown
}

export const DAY_MS = 86_400_000
/** Lifetime of an import job. */
export const JOB_LIFE_MS = 3 * DAY_MS

export const isPending = ({ state }: HeldVersion): boolean =>
  state === 'PENDING_GENERATION' || state === 'PENDING_IMPORT'

export const versionNumbered = (key: HeldKey, number: number): HeldVersion | undefined =>
  key.versions.find((version) => version.number === number)

/** The number of the next version. */
export const nextNumber = ({ versions, lastDeleted = 0 }: HeldKey): number =>
  Math.max(lastDeleted, versions.at(-1)?.number ?? 0) + 1

export const primaryOf = (key: HeldKey): HeldVersion | undefined =>
  key.primary === undefined ? undefined : versionNumbered(key, key.primary)

export const ringOf = (name: string): string => name.split('/').slice(0, 6).join('/')
export const projectOf = (name: string): string => name.split('/')[1] ?? ''
export const shortName = (name: string): string => name.slice(name.lastIndexOf('/') + 1)
