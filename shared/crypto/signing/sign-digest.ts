import { constants, createECDH, hash, privateEncrypt, publicDecrypt, randomBytes, type KeyObject } from 'node:crypto'
import { der, derInteger, memberAt, membersOf, readDer, TAG } from '../asn1/der.ts'
import { DIGEST_BYTES as EKM_DIGEST_BYTES, type EkmHash, type SigningScheme } from '../protocols/ekm-algorithms.ts'
import { modulusBytesOf } from '../public-half.ts'
import { limbsOf, limbsOfPublic, modulus, product, sum, valueOf, type Limbs, type Modulus } from './scalars.ts'

/**
 * Signatures over a digest that the caller computed, since the runtime's `sign` always hashes its input. For RSA, the
 * padding is computed here and the exponentiation, with blinding, by the runtime. For ECDSA, the runtime computes the
 * point, and the arithmetic modulo the curve's order is done here.
 */

/** Ours: SHA-1 only for S/MIME, which still allows it. */
export type DigestName = EkmHash | 'sha1'
export const DIGEST_BYTES: Readonly<Record<DigestName, number>> = { sha1: 20, ...EKM_DIGEST_BYTES }

/** DER of DigestInfo up to the digest. @see RFC 8017 §9.2, note 1 */
const DIGEST_INFO: Readonly<Record<DigestName, string>> = {
  sha1: '3021300906052b0e03021a05000414',
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
}

const digestInfo = (digest: Buffer, name: DigestName): Buffer =>
  Buffer.concat([Buffer.from(DIGEST_INFO[name], 'hex'), digest])

const pkcs1 = (key: KeyObject, digest: Buffer, name: DigestName): Buffer =>
  privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, digestInfo(digest, name))

/** @see RFC 8017 §B.2.1 */
function mgf1(seed: Buffer, bytes: number, name: DigestName): Buffer {
  const blocks: Buffer[] = []
  for (let counter = 0; counter * DIGEST_BYTES[name] < bytes; counter++) {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    blocks.push(hash(name, Buffer.concat([seed, count]), 'buffer'))
  }
  return Buffer.concat(blocks).subarray(0, bytes)
}

/** The longest salt of PSS under a key. @see RFC 8017 §9.1.1, step 3 */
export const longestSalt = (key: KeyObject, name: DigestName): number => modulusBytesOf(key) - DIGEST_BYTES[name] - 2

const saltedHash = (name: DigestName, digest: Buffer, salt: Buffer): Buffer =>
  hash(name, Buffer.concat([Buffer.alloc(8), digest, salt]), 'buffer')

/** Masks a data block, or removes its mask, in place. */
function maskWith(db: Buffer, h: Buffer, name: DigestName): void {
  for (const [at, byte] of mgf1(h, db.length, name).entries()) db.writeUInt8(db.readUInt8(at) ^ byte, at)
}

/** EMSA-PSS. @see RFC 8017 §9.1.1; for moduli of whole bytes, like all moduli here */
function pss(key: KeyObject, digest: Buffer, name: DigestName, saltBytes: number): Buffer {
  if (!(saltBytes >= 0 && saltBytes <= longestSalt(key, name)))
    throw new RangeError('The salt does not fit the modulus')
  const hashBytes = DIGEST_BYTES[name]
  const salt = randomBytes(saltBytes)
  const h = saltedHash(name, digest, salt)
  const db = Buffer.alloc(modulusBytesOf(key) - hashBytes - 1)
  db.writeUInt8(1, db.length - saltBytes - 1)
  db.set(salt, db.length - saltBytes)
  maskWith(db, h, name)
  db.writeUInt8(db.readUInt8(0) & 0x7f, 0) // emBits is one less than the bits of the modulus
  const encoded = Buffer.concat([db, h, Buffer.of(0xbc)])
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, encoded)
}

interface Curve {
  readonly name: 'prime256v1' | 'secp384r1'
  readonly bytes: number
  readonly limbs: number
  readonly order: Modulus
}

const curve = (name: Curve['name'], bytes: number, order: bigint): Curve => {
  const limbs = bytes / 2
  return { name, bytes, limbs, order: modulus(order, limbs) }
}

/** Orders of the base points. @see SP 800-186 §3.2.1.3, §3.2.1.4 */
const CURVES: readonly Curve[] = [
  curve('prime256v1', 32, 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n),
  curve(
    'secp384r1',
    48,
    0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  ),
]

const numberOf = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`)

/** @see FIPS 186-5 §B.2.1; Fermat's theorem, since the order is a prime */
function inverse(value: bigint, order: bigint): bigint {
  let result = 1n
  let base = value % order
  for (let exponent = order - 2n; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) result = (result * base) % order
    base = (base * base) % order
  }
  return result
}

/** The limbs of secret bytes; zeroes the bytes. */
function takenLimbs(bytes: Buffer, { limbs }: Pick<Curve, 'limbs'>): Limbs {
  const taken = limbsOf(bytes, limbs)
  bytes.fill(0)
  return taken
}

/** The private number of a key. @see RFC 5915 §3 */
function privateNumberOf(key: KeyObject, of: Curve): Limbs {
  const exported = key.export({ format: 'der', type: 'sec1' })
  const number = takenLimbs(memberAt(membersOf(readDer(exported, TAG.sequence)), 1, TAG.octetString).body, of)
  exported.fill(0)
  return number
}

/**
 * `s` of a signature: (digest + r · private number) / nonce. Ours: numerator and denominator are multiplied by the same
 * random factor before they become bigints, whose arithmetic is not constant-time and which cannot be zeroed, so that
 * neither reveals its parts. Each product is divided by R: `r` compensates once, the quotient the other time.
 */
function quotientOf(digest: bigint, r: bigint, secret: Limbs, nonce: Limbs, { limbs, bytes, order }: Curve): bigint {
  const factor = takenLimbs(randomBytes(bytes), { limbs })
  const shifted = limbsOfPublic((r << BigInt(bytes * 8)) % order.value, limbs)
  const share = product(secret, shifted, order)
  const total = sum(share, limbsOfPublic(digest % order.value, limbs), order)
  const numerator = valueOf(product(factor, total, order))
  const denominator = valueOf(product(factor, nonce, order))
  for (const secrets of [factor, share, total]) secrets.fill(0)
  return (inverse(denominator, order.value) * numerator) % order.value
}

/**
 * ECDSA with a random nonce. The runtime draws the nonce and computes its point in constant time.
 * @see FIPS 186-5 §6.4.1
 */
function ecdsa(key: KeyObject, digest: Buffer): Buffer {
  const of = CURVES.find(({ name }) => name === key.asymmetricKeyDetails?.namedCurve)
  if (of === undefined) throw new TypeError('This curve signs no digests')
  const secret = privateNumberOf(key, of)
  for (;;) {
    const ephemeral = createECDH(of.name)
    const r = numberOf(ephemeral.generateKeys().subarray(1, 1 + of.bytes)) % of.order.value
    const nonce = takenLimbs(ephemeral.getPrivateKey(), of)
    const s = quotientOf(numberOf(digest), r, secret, nonce, of) // digests here are as long as the order
    nonce.fill(0)
    if (r === 0n || s === 0n) continue
    secret.fill(0)
    return der(TAG.sequence, derInteger(r), derInteger(s))
  }
}

/**
 * A signature over a digest, of the same form as one of `sign` over the message. @param key private, of the scheme
 * @param digest as long as the hash
 * @param saltBytes for PSS, at most `longestSalt`
 * @throws RangeError for another length: a fault, the caller checks it
 */
export function signDigest(
  scheme: SigningScheme,
  key: KeyObject,
  digest: Buffer,
  name: DigestName,
  saltBytes = DIGEST_BYTES[name],
): Buffer {
  if (digest.length !== DIGEST_BYTES[name]) throw new RangeError('The digest is not as long as its hash')
  if (scheme === 'ecdsa') return ecdsa(key, digest)
  return scheme === 'rsa-pss' ? pss(key, digest, name, saltBytes) : pkcs1(key, digest, name)
}

/** The encoded message of a signature; `undefined` for a number that is no signature of the key. */
function encodedIn(key: KeyObject, signature: Buffer): Buffer | undefined {
  if (signature.length !== modulusBytesOf(key)) return undefined
  try {
    return publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, signature)
  } catch {
    return undefined
  }
}

/**
 * Whether a signature is one of PSS over a digest, with MGF1 over the same hash and a salt as long as the digest. A
 * malformed signature is invalid.
 * @param key either half of an RSA pair
 * @see RFC 8017 §9.1.2
 */
export function isPssSignature(key: KeyObject, digest: Buffer, name: DigestName, signature: Buffer): boolean {
  const encoded = encodedIn(key, signature)
  const bytes = DIGEST_BYTES[name]
  if (encoded?.at(-1) !== 0xbc || encoded.readUInt8(0) > 0x7f) return false
  const h = encoded.subarray(-bytes - 1, -1)
  const db = Buffer.from(encoded.subarray(0, -bytes - 1))
  maskWith(db, h, name)
  db.writeUInt8(db.readUInt8(0) & 0x7f, 0)
  const saltAt = db.length - bytes
  const isPadded = db.subarray(0, saltAt - 1).every((byte) => byte === 0) && db.readUInt8(saltAt - 1) === 1
  return isPadded && saltedHash(name, digest, db.subarray(saltAt)).equals(h)
}

/**
 * Whether a signature is one of PKCS #1 version 1.5 over a digest: the encoded message is computed and compared whole.
 * @param key either half of an RSA pair
 * @see RFC 8017 §8.2.2
 */
export function isPkcs1Signature(key: KeyObject, digest: Buffer, name: DigestName, signature: Buffer): boolean {
  const encoded = encodedIn(key, signature)
  if (encoded === undefined) return false
  const info = digestInfo(digest, name)
  const padding = Buffer.alloc(encoded.length - info.length - 3, 0xff)
  return encoded.equals(Buffer.concat([Buffer.of(0, 1), padding, Buffer.of(0), info]))
}
