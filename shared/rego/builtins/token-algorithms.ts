import { constants, createHmac, sign, timingSafeEqual, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** A verification or signing key; `bytes` is a secret. */
export type TokenKey = KeyObject | { readonly bytes: Buffer }

/** An algorithm of RFC 7518, section 3, or RFC 8037. */
export interface TokenAlgorithm {
  readonly name: string
  readonly family: 'hmac' | 'rsa' | 'pss' | 'ecdsa' | 'eddsa'
  /** node:crypto's name; absent for EdDSA, which hashes itself */
  readonly hash: string | undefined
  /** node:crypto's name */
  readonly curve: string | undefined
}

const row = (name: string, family: TokenAlgorithm['family'], hash?: string, curve?: string): TokenAlgorithm => ({
  name,
  family,
  hash,
  curve,
})

const ROWS: readonly TokenAlgorithm[] = [
  row('HS256', 'hmac', 'sha256'),
  row('HS384', 'hmac', 'sha384'),
  row('HS512', 'hmac', 'sha512'),
  row('RS256', 'rsa', 'sha256'),
  row('RS384', 'rsa', 'sha384'),
  row('RS512', 'rsa', 'sha512'),
  row('PS256', 'pss', 'sha256'),
  row('PS384', 'pss', 'sha384'),
  row('PS512', 'pss', 'sha512'),
  row('ES256', 'ecdsa', 'sha256', 'prime256v1'),
  row('ES384', 'ecdsa', 'sha384', 'secp384r1'),
  row('ES512', 'ecdsa', 'sha512', 'secp521r1'),
  row('EdDSA', 'eddsa'),
]

/** Without `none`, which is not accepted. */
export const TOKEN_ALGORITHMS: ReadonlyMap<string, TokenAlgorithm> = new Map(ROWS.map((one) => [one.name, one]))

const KEY_TYPES: Record<TokenAlgorithm['family'], string> = {
  hmac: 'secret',
  rsa: 'rsa',
  pss: 'rsa',
  ecdsa: 'ec',
  eddsa: 'ed25519',
}

/** Smaller keys are not secure, larger ones are slow. */
const RSA_BITS = { least: 2_048, most: 8_192 }

/**
 * Whether a key is of the kind and size for an algorithm: a secret never verifies a signature that requires a private
 * key.
 */
export function fits(key: TokenKey, { family, curve }: TokenAlgorithm): boolean {
  if ('bytes' in key) return family === 'hmac'
  if (key.asymmetricKeyType !== KEY_TYPES[family]) return false
  const bits = key.asymmetricKeyDetails?.modulusLength ?? RSA_BITS.least
  return (
    bits >= RSA_BITS.least &&
    bits <= RSA_BITS.most &&
    (curve === undefined || key.asymmetricKeyDetails?.namedCurve === curve)
  )
}

const options = (key: KeyObject, family: TokenAlgorithm['family']) => {
  if (family === 'pss')
    return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
  return family === 'ecdsa' ? { key, dsaEncoding: 'ieee-p1363' as const } : key
}

/**
 * Whether `signature` is valid for `data`; MACs are compared in constant time. A key of the wrong kind verifies
 * nothing.
 */
export function verifies(key: TokenKey, algorithm: TokenAlgorithm, data: string, signature: Buffer): boolean {
  if (!fits(key, algorithm)) return false
  if ('bytes' in key) {
    const expected = createHmac(algorithm.hash ?? '', key.bytes)
      .update(data)
      .digest()
    return expected.length === signature.length && timingSafeEqual(expected, signature)
  }
  return verify(algorithm.hash, Buffer.from(data), options(key, algorithm.family), signature)
}

/** @param key a private key or a secret that fits the algorithm */
export function signs(key: TokenKey, algorithm: TokenAlgorithm, data: string): Buffer {
  if ('bytes' in key)
    return createHmac(algorithm.hash ?? '', key.bytes)
      .update(data)
      .digest()
  const { family, hash } = algorithm
  if (family !== 'pss') return sign(hash, Buffer.from(data), options(key, family))
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST
  return sign(hash, Buffer.from(data), { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength })
}
