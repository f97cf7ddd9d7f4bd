/* Separate from the schemas: the data plane imports these names but loads no schemas. */

import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import { itemKey, type Key } from '../../../store/layout.ts'

/** Kind of the items with the certificates of sessions, one for each host, in the root domain. */
export const CERTIFICATE_KIND = 'ekm-session-certificate'
/** The purpose with which its private key is sealed. */
export const certificatePurpose = (host: string): string[] => [CERTIFICATE_KIND, host]

/** Key of the item that counts the enabled endpoints with sessions at a host, of all domains. @param host in lower case */
export const sessionHostKey = (host: string): Key => itemKey(ROOT_DOMAIN_ID, 'ekm-session-host', host)
/** Its attribute with the number. */
export const ENABLED_COUNT = 'enabled'

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
