/* Separate from the schemas: the data plane imports these names but loads no schemas. */

/** Kind of the items with the certificates of sessions, one for each host, in the root domain. */
export const CERTIFICATE_KIND = 'ekm-session-certificate'
/** The purpose with which its private key is sealed. */
export const certificatePurpose = (host: string): string[] => [CERTIFICATE_KIND, host]

/** Kind of the items that count the enabled endpoints with sessions at a host, of all domains; in the root domain. */
export const HOST_KIND = 'ekm-session-endpoints'
export interface StoredSessionHost {
  /** the host, in lower case */
  readonly id: string
  /** number of enabled endpoints, complete only if `isWhole` */
  readonly enabled: number
  /** false of a host with endpoints from before they were counted, until a sweep has counted these */
  readonly isWhole: boolean
}

/** The certificate with which sessions at a host are answered. */
export interface StoredSessionCertificate {
  /** the host, in lower case */
  readonly id: string
  /** PEM, its chain after it */
  readonly certificate: string
  /** the private key as PKCS #8 DER */
  readonly sealed: string
  readonly updatedAt?: string | undefined
}
