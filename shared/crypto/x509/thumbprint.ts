import { hash } from 'node:crypto'
import { BoundedCache } from '../../base/bounded-cache.ts'
import { pemBytes } from '../asn1/pem.ts'

/** Ours: bound on the total characters of certificates whose thumbprints are cached. */
const MOST = { most: 1_000_000, of: ({ length }: { readonly length: number }) => length }
const known = new BoundedCache<{ readonly thumbprint: string; readonly length: number }>(1_000, MOST)

/**
 * SHA-256 of a certificate in base64url, as in tokens bound to it. Empty for a text that is not a certificate.
 * @see RFC 8705 §3.1, `x5t#S256`
 */
export const thumbprintOf = (pem: string): string =>
  known.use(pem, () => {
    const bytes = pemBytes(pem, ['CERTIFICATE'])
    return { thumbprint: bytes === undefined ? '' : hash('sha256', bytes, 'base64url'), length: pem.length }
  }).thumbprint
