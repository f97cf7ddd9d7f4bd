import { onlyOf, type Load } from '../base/room.ts'

declare module '../base/room.ts' {
  interface RoomRow {
    readonly certificateTrust?: Load<CertificateTrust>
  }
}

/** The content of a request's client certificate, if an authority of the domain issued it. */
export interface TrustedCertificate {
  /** id of the local or external authority that issued it */
  readonly authorityId: string
  /** as text of RFC 4514 */
  readonly subject: string
  /** values of the attribute UID in its subject (RFC 4519 §2.39) */
  readonly uids: readonly string[]
  /** in hex, lower case */
  readonly serialNumber: string
  readonly sha256Fingerprint: string
  readonly notBefore: string
}

/** Decides which certificates log in. */
export interface CertificateTrust {
  /**
   * The certificate, if it is valid now and not revoked, and an authority of the domain that authenticates such callers
   * issued it; otherwise `undefined`, whatever the reason. A revocation takes effect within 5 seconds.
   * @param pem of the certificate on the connection
   */
  readonly trusted: (
    domain: string,
    pem: string,
    use: 'client' | 'user',
    now: Date,
  ) => Promise<TrustedCertificate | undefined>
  /**
   * Whether a member of `admin` decided on the subject: by issuing the certificate here, or by letting an external
   * authority log in users.
   */
  readonly isByAdmin: (domain: string, certificate: TrustedCertificate) => Promise<boolean>
}

/** @throws Error, a fault, when the function does not load them */
export const certificateTrust = (): Promise<CertificateTrust> => onlyOf('certificateTrust')
