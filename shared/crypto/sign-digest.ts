import { constants, createECDH, hash, privateEncrypt, randomBytes, type KeyObject } from 'node:crypto'
import { der, derInteger, TAG } from './der.ts'
import { DIGEST_BYTES, type EkmHash, type SigningScheme } from './ekm-algorithms.ts'

/*
 * Signatures over a digest that the caller took: the runtime's own `sign` hashes what it is given. RSA pads here and
 * leaves the power to the runtime (which blinds it); ECDSA has its point from the runtime, and the arithmetic modulo the
 * order of the curve here.
 */

/** DER of DigestInfo up to the digest. @see RFC 8017 §9.2, note 1 */
const DIGEST_INFO: Readonly<Record<EkmHash, string>> = {
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
}

const pkcs1 = (key: KeyObject, digest: Buffer, name: EkmHash): Buffer =>
  privateEncrypt(
    { key, padding: constants.RSA_PKCS1_PADDING },
    Buffer.concat([Buffer.from(DIGEST_INFO[name], 'hex'), digest]),
  )

/** @see RFC 8017 §B.2.1 */
function mgf1(seed: Buffer, bytes: number, name: EkmHash): Buffer {
  const blocks: Buffer[] = []
  for (let counter = 0; counter * DIGEST_BYTES[name] < bytes; counter++) {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    blocks.push(hash(name, Buffer.concat([seed, count]), 'buffer'))
  }
  return Buffer.concat(blocks).subarray(0, bytes)
}

/** EMSA-PSS with a salt as long as the hash. @see RFC 8017 §9.1.1; for moduli of whole bytes, which all of ours are */
function pss(key: KeyObject, digest: Buffer, name: EkmHash): Buffer {
  const modulusBytes = (key.asymmetricKeyDetails?.modulusLength ?? 0) / 8
  const hashBytes = DIGEST_BYTES[name]
  const salt = randomBytes(hashBytes)
  const h = hash(name, Buffer.concat([Buffer.alloc(8), digest, salt]), 'buffer')
  const db = Buffer.alloc(modulusBytes - hashBytes - 1)
  db.writeUInt8(1, db.length - hashBytes - 1)
  db.set(salt, db.length - hashBytes)
  const mask = mgf1(h, db.length, name)
  for (const [at, byte] of mask.entries()) db.writeUInt8(db.readUInt8(at) ^ byte, at)
  db.writeUInt8(db.readUInt8(0) & 0x7f, 0) // emBits is one less than the modulus has
  const encoded = Buffer.concat([db, h, Buffer.of(0xbc)])
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, encoded)
}

interface Curve {
  readonly name: 'prime256v1' | 'secp384r1'
  readonly bytes: number
  readonly order: bigint
}

/** Orders of the base points. @see SP 800-186 §3.2.1.3, §3.2.1.4 */
const CURVES: readonly Curve[] = [
  {
    name: 'prime256v1',
    bytes: 32,
    order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  },
  {
    name: 'secp384r1',
    bytes: 48,
    order: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  },
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

/**
 * ECDSA with a random nonce. The nonce and its point are the runtime's, drawn and multiplied in constant time. Ours: what
 * is left, modulo the order, is done on numbers blinded by a random factor, since their arithmetic takes a time of its own.
 * @see FIPS 186-5 §6.4.1
 */
function ecdsa(key: KeyObject, digest: Buffer): Buffer {
  const curve = CURVES.find(({ name }) => name === key.asymmetricKeyDetails?.namedCurve)
  if (curve === undefined) throw new TypeError('This curve signs no digests')
  const { order, bytes } = curve
  const { d = '' } = key.export({ format: 'jwk' })
  const z = numberOf(digest.subarray(0, bytes)) // digests are as long as the order here
  for (;;) {
    const ephemeral = createECDH(curve.name)
    const point = ephemeral.generateKeys()
    const r = numberOf(point.subarray(1, 1 + bytes)) % order
    const blind = (numberOf(randomBytes(bytes + 8)) % (order - 1n)) + 1n
    const blinded = (blind * z + ((blind * r) % order) * numberOf(Buffer.from(d, 'base64url'))) % order
    const s = (inverse((blind * numberOf(ephemeral.getPrivateKey())) % order, order) * blinded) % order
    if (r !== 0n && s !== 0n) return der(TAG.sequence, derInteger(r), derInteger(s))
  }
}

/**
 * A signature over a digest, such as `sign` makes over its message. @param key private, of the scheme
 * @param digest as long as the hash is
 * @throws RangeError for another length: a fault, whoever asks checks it
 */
export function signDigest(scheme: SigningScheme, key: KeyObject, digest: Buffer, name: EkmHash): Buffer {
  if (digest.length !== DIGEST_BYTES[name]) throw new RangeError('The digest is not as long as its hash')
  if (scheme === 'ecdsa') return ecdsa(key, digest)
  return scheme === 'rsa-pss' ? pss(key, digest, name) : pkcs1(key, digest, name)
}
