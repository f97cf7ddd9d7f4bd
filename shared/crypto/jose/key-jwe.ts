import { CompactEncrypt } from 'jose'
import type { KeyObject } from 'node:crypto'

/**
 * The raw bytes of a key in a compact JWE, for the owner of an RSA key: RSA-OAEP (SHA-1 for hash and mask), A256GCM
 * with a fresh content key and iv. Its header contains `alg`, `enc` and `kid`, and `jti` if there is a nonce.
 * @see RFC 7516 §7.1, RFC 7518 §4.3
 */
export const encryptedKey = (
  bytes: Uint8Array,
  recipient: KeyObject,
  kid: string,
  nonce: string | undefined,
): Promise<string> =>
  new CompactEncrypt(bytes)
    .setProtectedHeader({ alg: 'RSA-OAEP', enc: 'A256GCM', kid, ...(nonce !== undefined && { jti: nonce }) })
    .encrypt(recipient)
