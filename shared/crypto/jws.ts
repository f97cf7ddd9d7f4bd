import { isObject, jsonOf, type Fields } from '../base/json.ts'
import { createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto'

/** A parsed compact JWS whose signature is not verified yet. @see RFC 7515 §7.1 */
export interface CompactJws {
  readonly header: Readonly<Record<string, unknown>>
  readonly payload: Readonly<Record<string, unknown>>
  /** the signed bytes */
  readonly signed: Buffer
  readonly signature: Buffer
}

const BASE64URL = /^[A-Za-z0-9_-]+$/

/** A JSON object in base64url. `undefined` for anything else. */
function objectIn(part: string): Fields | undefined {
  if (!BASE64URL.test(part)) return undefined
  const value = jsonOf(Buffer.from(part, 'base64url').toString('utf8'))
  return isObject(value) ? value : undefined
}

/** `undefined` unless the text is a compact JWS with a JSON object as payload. */
export function readCompactJws(text: string): CompactJws | undefined {
  const [first = '', second = '', third = '', ...more] = text.split('.', 4)
  if (more.length > 0 || !BASE64URL.test(third)) return undefined
  const header = objectIn(first)
  const payload = objectIn(second)
  if (header === undefined || payload === undefined) return undefined
  const signed = Buffer.from(text.slice(0, first.length + 1 + second.length), 'latin1')
  return { header, payload, signed, signature: Buffer.from(third, 'base64url') }
}

/** Whether it has a valid RS256 signature by `key`, an RSA public key. @see RFC 7518 §3.3 */
export const isSignedRs256 = ({ signed, signature }: CompactJws, key: KeyObject): boolean =>
  verify('sha256', signed, key, signature)

const RSA_BITS = { least: 2_048, most: 8_192 }

/** The RS256 key of a member of a key set; `undefined` for keys of any other use. @see RFC 7517 §4 */
export function rs256Key(jwk: Readonly<Record<string, unknown>>): KeyObject | undefined {
  const { kty, use = 'sig', alg = 'RS256', n, e } = jwk
  if (kty !== 'RSA' || use !== 'sig' || alg !== 'RS256' || typeof n !== 'string' || typeof e !== 'string')
    return undefined
  try {
    const given: JsonWebKey = { kty, n, e } // only the public half, should the member hold a private key
    const key = createPublicKey({ key: given, format: 'jwk' })
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
    return bits >= RSA_BITS.least && bits <= RSA_BITS.most ? key : undefined
  } catch {
    return undefined
  }
}
