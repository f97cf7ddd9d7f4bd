import type { Load } from '../../base/room.ts'

declare module '../../base/room.ts' {
  interface RoomRow {
    /** What it has of keys and certificates, for the cryptographic bill of materials. */
    readonly inventory?: Load<Inventory>
  }
}

/** A kind of key: all that decides its strength. */
export interface KeyKindUsed {
  /** as local keys name it: `aes`, `rsa`, `ec`, `hmac-sha256`, `ml-dsa`; another cloud's own word for what is unknown */
  readonly algorithm: string
  readonly sizeBits?: number | undefined
  /** name in OpenSSL */
  readonly curve?: string | undefined
}

/** One key of a kind. */
export interface UsedKey extends KeyKindUsed {
  readonly state: string
  /** when it ends; `undefined` for one without an end */
  readonly until?: string | undefined
}

/** A certificate of an authority. */
export interface UsedCertificate {
  readonly name: string
  readonly subject: string
  readonly issuer: string
  readonly notBefore?: string | undefined
  readonly notAfter?: string | undefined
  readonly key?: KeyKindUsed | undefined
  /** certificates that it issued */
  readonly issued: number
}

/** Cryptography in one place of a domain, such as the vault or a cloud. */
export interface Inventory {
  /** as in `where` of the bill of materials */
  readonly where: string
  /** Every key, a page in memory at a time. */
  readonly keys?: (domain: string) => AsyncIterable<readonly UsedKey[]>
  readonly certificates?: (domain: string) => Promise<readonly UsedCertificate[]>
}
