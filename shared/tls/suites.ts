/** A cipher suite of TLS 1.3. @see RFC 8446 §B.4 */
export interface Suite {
  readonly id: number
  readonly hash: 'sha256' | 'sha384'
  readonly hashBytes: 32 | 48
  readonly cipher: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305'
  readonly keyBytes: 16 | 32
}

/** The suites of the server in its order of preference. */
export const SUITES: readonly Suite[] = [
  { id: 0x1301, hash: 'sha256', hashBytes: 32, cipher: 'aes-128-gcm', keyBytes: 16 },
  { id: 0x1302, hash: 'sha384', hashBytes: 48, cipher: 'aes-256-gcm', keyBytes: 32 },
  { id: 0x1303, hash: 'sha256', hashBytes: 32, cipher: 'chacha20-poly1305', keyBytes: 32 },
]
