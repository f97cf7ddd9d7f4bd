import { type Fields, isNameIn, isObject, jsonOf } from '../../base/json.ts'
import { namesOf } from '../../base/fields.ts'
import {
  constants,
  createPublicKey,
  sign,
  verify,
  type JsonWebKey,
  type KeyObject,
  type SigningOptions,
} from 'node:crypto'

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

interface SignatureRow {
  readonly kty: 'RSA' | 'EC'
  readonly hash: 'sha256' | 'sha384' | 'sha512'
  /** for EC keys */
  readonly crv?: 'P-256' | 'P-384'
  /** absent means the runtime's defaults */
  readonly options?: Pick<SigningOptions, 'padding' | 'saltLength' | 'dsaEncoding'>
}

const rsa = (hash: SignatureRow['hash']): SignatureRow => ({ kty: 'RSA', hash })
const pss = (hash: SignatureRow['hash']): SignatureRow => ({
  kty: 'RSA',
  hash,
  options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
})

/** Signatures of tokens that are verified here, by `alg`; symmetric ones are never accepted. @see RFC 7518 §3.1 */
const SIGNATURES = {
  RS256: rsa('sha256'),
  RS384: rsa('sha384'),
  RS512: rsa('sha512'),
  PS256: pss('sha256'),
  PS384: pss('sha384'),
  PS512: pss('sha512'),
  ES256: { kty: 'EC', hash: 'sha256', crv: 'P-256', options: { dsaEncoding: 'ieee-p1363' } },
  ES384: { kty: 'EC', hash: 'sha384', crv: 'P-384', options: { dsaEncoding: 'ieee-p1363' } },
} as const satisfies Readonly<Record<string, SignatureRow>>

export type JwsAlgorithm = keyof typeof SIGNATURES
export const JWS_ALGORITHMS: readonly JwsAlgorithm[] = namesOf(SIGNATURES)

/** A public key of a key set. */
export interface VerifyingKey {
  readonly key: KeyObject
  /** the accepted algorithms: the one that its owner states, or all that fit the key */
  readonly algorithms: ReadonlySet<unknown>
}

/** Whether the token has a valid signature of the key, with the algorithm in its header. */
export function isSigned({ header: { alg }, signed, signature }: CompactJws, by: VerifyingKey): boolean {
  if (!by.algorithms.has(alg) || !isNameIn(SIGNATURES, alg)) return false
  const { hash, options }: SignatureRow = SIGNATURES[alg]
  // Passing the key within an object would double the time of a signature: 55 µs instead of 28.
  return verify(hash, signed, options === undefined ? by.key : { key: by.key, ...options }, signature)
}

const RSA_BITS = { least: 2_048, most: 8_192 }

const isLongEnough = ({ asymmetricKeyDetails: { modulusLength = 0 } = {} }: KeyObject): boolean =>
  modulusLength >= RSA_BITS.least && modulusLength <= RSA_BITS.most

/** A key that signs tokens, from a member of a key set; `undefined` for keys with any other use. @see RFC 7517 §4 */
export function verifyingKey(jwk: Fields): VerifyingKey | undefined {
  const { kty, use = 'sig', alg, n, e, crv, x, y } = jwk
  if (use !== 'sig') return undefined
  const algorithms = JWS_ALGORITHMS.filter((name) => {
    const row: SignatureRow = SIGNATURES[name]
    return row.kty === kty && row.crv === crv && (alg === undefined || alg === name)
  })
  if (algorithms.length === 0) return undefined
  try {
    const given = { kty, n, e, crv, x, y } as JsonWebKey // only the public half, should the member hold a private key
    const key = createPublicKey({ key: given, format: 'jwk' })
    return kty === 'EC' || isLongEnough(key) ? { key, algorithms: new Set(algorithms) } : undefined
  } catch {
    return undefined
  }
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A compact JWS with RS256. @param key an RSA private key. @see RFC 7515 §3.1 */
export function signRs256(kid: string, payload: object, key: KeyObject): string {
  const signed = `${part({ alg: 'RS256', typ: 'JWT', kid })}.${part(payload)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
}
