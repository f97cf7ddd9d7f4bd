import { constants, createECDH, privateEncrypt, publicDecrypt, randomBytes, type KeyObject } from 'node:crypto'
import { createPublicKey, hash } from 'node:crypto'
import { der, integer, integerAt, parsed, sequence } from './asn1.ts'

/*
 * Signatures of digests, which the runtime neither creates nor verifies. Simulators have test keys only, so nothing
 * here needs to be constant-time.
 */

export type DigestScheme = 'rsa-pss' | 'rsa-pkcs1' | 'ecdsa'
export type DigestHash = 'sha256' | 'sha384' | 'sha512'
export const DIGEST_BYTES: Readonly<Record<DigestHash, number>> = { sha256: 32, sha384: 48, sha512: 64 }

/** Orders of the base points, by the runtime's names of the curves. @see SP 800-186 §3.2.1, SEC 2 §2.4.1 */
const ORDERS: Readonly<Record<string, bigint>> = {
  prime256v1: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  secp384r1: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  secp521r1:
    0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
  secp256k1: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
}

const numberOf = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`)

function inverse(value: bigint, order: bigint): bigint {
  let [result, base] = [1n, value % order]
  for (let exponent = order - 2n; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) result = (result * base) % order
    base = (base * base) % order
  }
  return result
}

interface Curve {
  readonly name: string
  readonly order: bigint
  /** length of a coordinate, and of a private number */
  readonly bytes: number
  readonly secret: bigint
}

function curveOf(key: KeyObject): Curve {
  const name = key.asymmetricKeyDetails?.namedCurve ?? ''
  const order = ORDERS[name]
  const { d } = key.export({ format: 'jwk' })
  if (order === undefined || d === undefined) throw new TypeError(`${name} signs no digests.`)
  const secret = Buffer.from(d, 'base64url')
  return { name, order, bytes: secret.length, secret: numberOf(secret) }
}

/** First coordinate of `factor` times the base point. */
function pointOf({ name, order, bytes }: Curve, factor: bigint): bigint {
  const ecdh = createECDH(name)
  ecdh.setPrivateKey(Buffer.from(factor.toString(16).padStart(bytes * 2, '0'), 'hex'))
  return numberOf(ecdh.getPublicKey().subarray(1, 1 + bytes)) % order
}

/** A digest as a number of at most as many bits as the order. @see FIPS 186-5 §6.4.1 */
function messageOf(digest: Buffer, order: bigint): bigint {
  const excess = digest.length * 8 - order.toString(2).length
  return excess > 0 ? numberOf(digest) >> BigInt(excess) : numberOf(digest)
}

const pairOf = (r: bigint, s: bigint): Buffer => der(sequence(integer(r), integer(s)))

function signEcdsa(key: KeyObject, digest: Buffer): Buffer {
  const curve = curveOf(key)
  const { name, order, secret } = curve
  for (;;) {
    const ephemeral = createECDH(name)
    ephemeral.generateKeys()
    const nonce = numberOf(ephemeral.getPrivateKey())
    const r = pointOf(curve, nonce)
    const s = (inverse(nonce, order) * (messageOf(digest, order) + r * secret)) % order
    if (r !== 0n && s !== 0n) return pairOf(r, s)
  }
}

/**
 * With the private number known, both points of a verification are multiples of the base point. @see FIPS 186-5 §6.4.2
 */
function isEcdsa(key: KeyObject, digest: Buffer, signature: Buffer): boolean {
  const curve = curveOf(key)
  const { order, secret } = curve
  const parts = parsed(signature)
  const [r, s] = [integerAt(parts, 0), integerAt(parts, 1)]
  if (r === 0n || s === 0n || r >= order || s >= order || !pairOf(r, s).equals(signature)) return false
  const factor = (inverse(s, order) * (messageOf(digest, order) + r * secret)) % order
  return factor !== 0n && pointOf(curve, factor) === r
}

/** DER of DigestInfo up to the digest. @see RFC 8017 §9.2, note 1 */
const DIGEST_INFO: Readonly<Record<DigestHash, string>> = {
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
}

const digestInfo = (digest: Buffer, name: DigestHash): Buffer =>
  Buffer.concat([Buffer.from(DIGEST_INFO[name], 'hex'), digest])

/** @see RFC 8017 §B.2.1 */
function maskOf(seed: Buffer, bytes: number, name: DigestHash): Buffer {
  const blocks = Array.from({ length: Math.ceil(bytes / DIGEST_BYTES[name]) }, (_, counter) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return hash(name, Buffer.concat([seed, count]), 'buffer')
  })
  return Buffer.concat(blocks).subarray(0, bytes)
}

const xored = (one: Buffer, other: Buffer): Buffer => Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)))

const pssHash = (digest: Buffer, salt: Buffer, name: DigestHash): Buffer =>
  hash(name, Buffer.concat([Buffer.alloc(8), digest, salt]), 'buffer')

/** EMSA-PSS with a salt as long as the hash, in `bytes`. @see RFC 8017 §9.1.1 */
function pssOf(digest: Buffer, name: DigestHash, bytes: number): Buffer {
  const salt = randomBytes(DIGEST_BYTES[name])
  const h = pssHash(digest, salt, name)
  const db = Buffer.concat([Buffer.alloc(bytes - 2 * h.length - 2), Buffer.of(1), salt])
  const masked = xored(maskOf(h, db.length, name), db)
  masked.writeUInt8(masked.readUInt8(0) & 0x7f) // one bit less than the modulus
  return Buffer.concat([masked, h, Buffer.of(0xbc)])
}

/** EMSA-PSS with a salt as long as the hash. @see RFC 8017 §9.1.2 */
function isPss(encoded: Buffer, digest: Buffer, name: DigestHash): boolean {
  const hashBytes = DIGEST_BYTES[name]
  const h = encoded.subarray(-hashBytes - 1, -1)
  const db = xored(maskOf(h, encoded.length - hashBytes - 1, name), encoded)
  const expected = pssHash(digest, db.subarray(-hashBytes), name)
  return encoded.at(-1) === 0xbc && db.at(-hashBytes - 1) === 1 && h.equals(expected)
}

function signRsa(scheme: 'rsa-pss' | 'rsa-pkcs1', key: KeyObject, digest: Buffer, name: DigestHash): Buffer {
  if (scheme === 'rsa-pkcs1')
    return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, digestInfo(digest, name))
  const bytes = (key.asymmetricKeyDetails?.modulusLength ?? 0) / 8
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, pssOf(digest, name, bytes))
}

/** @param digest as long as its hash */
export const signatureOver = (scheme: DigestScheme, key: KeyObject, digest: Buffer, name: DigestHash): Buffer =>
  scheme === 'ecdsa' ? signEcdsa(key, digest) : signRsa(scheme, key, digest, name)

/** Whether a signature of a digest is valid. @param key private */
export function isSignatureOver(
  scheme: DigestScheme,
  key: KeyObject,
  digest: Buffer,
  name: DigestHash,
  signature: Buffer,
): boolean {
  try {
    if (scheme === 'ecdsa') return isEcdsa(key, digest, signature)
    const half = createPublicKey(key)
    if (scheme === 'rsa-pss')
      return isPss(publicDecrypt({ key: half, padding: constants.RSA_NO_PADDING }, signature), digest, name)
    const info = publicDecrypt({ key: half, padding: constants.RSA_PKCS1_PADDING }, signature)
    return info.equals(digestInfo(digest, name))
  } catch {
    return false // malformed
  }
}
