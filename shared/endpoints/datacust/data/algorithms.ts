import type { DigestName } from '../../../crypto/signing/sign-digest.ts'

/** Names of asymmetric encryption in the protocol, with the hash of label and mask. */
export const OAEP: Readonly<Record<string, DigestName>> = {
  RSAES_OAEP_SHA_1: 'sha1',
  RSAES_OAEP_SHA_256: 'sha256',
  RSAES_OAEP_SHA_384: 'sha384',
  RSAES_OAEP_SHA_512: 'sha512',
}

/** Names of signatures, with the hash of message and mask. */
export const PSS: Readonly<Record<string, DigestName>> = {
  RSASSA_PSS_SHA_256: 'sha256',
  RSASSA_PSS_SHA_384: 'sha384',
  RSASSA_PSS_SHA_512: 'sha512',
}
