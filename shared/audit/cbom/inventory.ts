import type { Load } from '../../base/room.ts'

declare module '../../base/room.ts' {
  interface RoomRow {
    /** Its keys and certificates, for the cryptographic bill of materials. */
    readonly inventory?: Load<Inventory>
  }
}

/** A kind of key, with everything that determines its strength. */
export interface KeyKindUsed {
  /** as in local keys: `aes`, `rsa`, `ec`, `hmac-sha256`, `ml-dsa`; a cloud's own word for an unknown algorithm */
  readonly algorithm: string
  readonly sizeBits?: number | undefined
  /** name in OpenSSL */
  readonly curve?: string | undefined
}

/** One key of a kind. */
export interface UsedKey extends KeyKindUsed {
  readonly state: string
  /** its expiry; `undefined` if it has none */
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
  /** number of certificates that it issued */
  readonly issued: number
}

/** Cryptography in one place of a domain, such as the vault or a cloud. */
export interface Inventory {
  /** as in `where` of the bill of materials */
  readonly where: string
  /** All keys, one page in memory at a time. */
  readonly keys?: (domain: string) => AsyncIterable<readonly UsedKey[]>
  readonly certificates?: (domain: string) => Promise<readonly UsedCertificate[]>
}
