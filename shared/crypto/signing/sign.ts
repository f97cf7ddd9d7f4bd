import { constants, createHmac, sign as signBytes, verify as verifyBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { constantTimeEqual } from '../constant-time.ts'
import { asKeyObject } from '../key-material.ts'
import type { KeyMaterial } from '../key-material.ts'
import { modulusBytesOf } from '../public-half.ts'

/** One signature or MAC algorithm. */
export interface SignatureRow {
  /** `asymmetricKeyType` of its keys, or `secret`. */
  readonly keyType: 'rsa' | 'ec' | 'ed25519' | `ml-dsa-${44 | 65 | 87}` | 'secret'
  readonly sign: (key: KeyObject, data: Uint8Array) => Buffer
  readonly verify: (key: KeyObject, data: Uint8Array, signature: Uint8Array) => boolean
}

type Sha2 = 'sha256' | 'sha384' | 'sha512'

function asymmetric(
  keyType: Exclude<SignatureRow['keyType'], 'secret'>,
  hash: Sha2 | null,
  options: object = {},
): SignatureRow {
  return {
    keyType,
    sign: (key, data) => signBytes(hash, data, { ...options, key }),
    verify: (key, data, signature) => verifyBytes(hash, data, { ...options, key }, signature),
  }
}

/**
 * RSA signatures are as long as the modulus (RFC 8017 §8.1.2 and §8.2.2, step 1). OpenSSL also accepts a shorter one as
 * the same number, so a signature with a leading 0 byte would be valid with and without it.
 */
function rsa(hash: Sha2, options: object): SignatureRow {
  const row = asymmetric('rsa', hash, options)
  return {
    ...row,
    verify: (key, data, signature) => signature.length === modulusBytesOf(key) && row.verify(key, data, signature),
  }
}

/** RSASSA-PKCS1-v1_5 (RFC 8017 §8.2). */
const rsaPkcs1 = (hash: Sha2) => rsa(hash, { padding: constants.RSA_PKCS1_PADDING })
/** RSASSA-PSS (RFC 8017 §8.1): MGF1 with the same hash; the salt is as long as the hash, also when verifying. */
const rsaPss = (hash: Sha2) =>
  rsa(hash, {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  })
/** ECDSA (FIPS 186-5 §6) as a DER sequence (RFC 3279 §2.2.3) or as r ‖ s of equal length (IEEE P1363, JWS). */
const ecdsa = (hash: Sha2, dsaEncoding: 'der' | 'ieee-p1363') => asymmetric('ec', hash, { dsaEncoding })

/** HMAC (RFC 2104) in its full length. */
function hmac(hash: Sha2 | 'sha1'): SignatureRow {
  const mac = (key: KeyObject, data: Uint8Array) => createHmac(hash, key).update(data).digest()
  return {
    keyType: 'secret',
    sign: mac,
    verify: (key, data, signature) => constantTimeEqual(mac(key, data), signature),
  }
}

/** Ours: internal names; each protocol maps its own names onto them. */
export const SIGNATURES = {
  'rsa-pkcs1-sha256': rsaPkcs1('sha256'),
  'rsa-pkcs1-sha384': rsaPkcs1('sha384'),
  'rsa-pkcs1-sha512': rsaPkcs1('sha512'),
  'rsa-pss-sha256': rsaPss('sha256'),
  'rsa-pss-sha384': rsaPss('sha384'),
  'rsa-pss-sha512': rsaPss('sha512'),
  'ecdsa-sha256': ecdsa('sha256', 'der'),
  'ecdsa-sha384': ecdsa('sha384', 'der'),
  'ecdsa-sha512': ecdsa('sha512', 'der'),
  'ecdsa-sha256-p1363': ecdsa('sha256', 'ieee-p1363'),
  'ecdsa-sha384-p1363': ecdsa('sha384', 'ieee-p1363'),
  'ecdsa-sha512-p1363': ecdsa('sha512', 'ieee-p1363'),
  /** RFC 8032 §5.1, not prehashed. */
  ed25519: asymmetric('ed25519', null),
  /** FIPS 204 §5.2, pure and with an empty context. */
  'ml-dsa-44': asymmetric('ml-dsa-44', null),
  'ml-dsa-65': asymmetric('ml-dsa-65', null),
  'ml-dsa-87': asymmetric('ml-dsa-87', null),
  'hmac-sha1': hmac('sha1'),
  'hmac-sha256': hmac('sha256'),
  'hmac-sha384': hmac('sha384'),
  'hmac-sha512': hmac('sha512'),
} as const satisfies Record<string, SignatureRow>

export type SignatureName = keyof typeof SIGNATURES

/**
 * @param key private, or secret for HMAC; a `KeyObject` avoids repeated key set-up in a data plane
 * @throws TypeError for a key of another kind: a fault, the caller chose the row by the key
 */
export function sign(row: SignatureRow, key: KeyMaterial | KeyObject, data: Uint8Array): Buffer {
  return row.sign(keyFor(row, key), data)
}

/**
 * Whether `signature` is valid for `data`; a malformed signature is invalid. HMAC is compared in constant time.
 * @param key public or private, or secret for HMAC
 * @throws TypeError for a key of another kind
 */
export function verify(
  row: SignatureRow,
  key: KeyMaterial | KeyObject,
  data: Uint8Array,
  signature: Uint8Array,
): boolean {
  return row.verify(keyFor(row, key), data, signature)
}

function keyFor(row: SignatureRow, key: KeyMaterial | KeyObject): KeyObject {
  const object = 'bytes' in key ? asKeyObject(key) : key
  // OpenSSL would sign with ECDSA if an RSA row were given an EC key
  const keyType = object.type === 'secret' ? 'secret' : object.asymmetricKeyType
  if (keyType !== row.keyType) throw new TypeError(`this signature needs a key of type ${row.keyType}`)
  return object
}
