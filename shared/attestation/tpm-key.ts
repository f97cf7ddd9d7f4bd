import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { Cursor, EvidenceError } from './evidence.ts'

const broken = (reason: string): EvidenceError => new EvidenceError('key', reason)

/* Numbers of TPM 2.0 Part 2: TPM_ALG_ID, TPM_ECC_CURVE, TPMA_OBJECT. */
const ALGORITHM = { rsa: 0x0001, ecc: 0x0023, none: 0x0010, rsaEs: 0x0015, ecdaa: 0x001a } as const
const CURVES: ReadonlyMap<number, string> = new Map([
  [0x0003, 'P-256'],
  [0x0004, 'P-384'],
  [0x0005, 'P-521'],
])
const ATTRIBUTE = { fixedTpm: 0x2, restricted: 0x1_0000, sign: 0x4_0000 } as const
/** A TPM signs only its own structures with such a key. */
const ATTESTS = ATTRIBUTE.fixedTpm + ATTRIBUTE.restricted + ATTRIBUTE.sign
const EXPONENT_USUAL = 65_537
/** Of an RSA modulus. */
const [BYTES_LEAST, BYTES_MOST] = [256, 512]

/** TPMT_SYM_DEF_OBJECT: the key of storage keys' children. */
function skipSymmetric(cursor: Cursor): void {
  if (cursor.big(2) !== ALGORITHM.none) cursor.take(4) // bits, mode
}

/** A scheme of signing, encryption or key derivation. */
function skipScheme(cursor: Cursor): void {
  const scheme = cursor.big(2)
  if (scheme === ALGORITHM.none || scheme === ALGORITHM.rsaEs) return
  cursor.take(scheme === ALGORITHM.ecdaa ? 4 : 2)
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes.subarray(bytes.findIndex((byte) => byte !== 0))
}

function rsaIn(cursor: Cursor): JsonWebKey {
  skipSymmetric(cursor)
  skipScheme(cursor)
  cursor.take(2) // bits
  const exponent = cursor.big(4) || EXPONENT_USUAL
  const modulus = cursor.sized()
  if (modulus.length < BYTES_LEAST || modulus.length > BYTES_MOST) throw broken('the RSA key is too short or too long')
  return { kty: 'RSA', n: modulus.toString('base64url'), e: uint32(exponent).toString('base64url') }
}

function eccIn(cursor: Cursor): JsonWebKey {
  skipSymmetric(cursor)
  skipScheme(cursor)
  const crv = CURVES.get(cursor.big(2))
  if (crv === undefined) throw broken('the key is on an unknown curve')
  skipScheme(cursor)
  const bytes = crv === 'P-521' ? 66 : Number(crv.slice(2)) / 8
  const [x, y] = [cursor.sized(), cursor.sized()]
  if (x.length > bytes || y.length > bytes) throw broken('the point of the key is too long')
  const text = (value: Buffer): string =>
    Buffer.concat([Buffer.alloc(bytes - value.length), value]).toString('base64url')
  return { kty: 'EC', crv, x: text(x), y: text(y) }
}

function keyOf(key: JsonWebKey): KeyObject {
  try {
    return createPublicKey({ key, format: 'jwk' })
  } catch {
    throw broken('the public area contains no valid key')
  }
}

/**
 * The public key of an attestation key. Ours: it must be restricted to signing structures of its TPM, and never leave
 * it; a key that signs any data could sign an invented quote.
 * @param publicArea TPMT_PUBLIC. @see TPM 2.0 Part 2, 12.2.4
 * @throws EvidenceError
 */
export function attestationKeyIn(publicArea: Buffer): KeyObject {
  const cursor = new Cursor(publicArea, () => broken('the public area is not a TPMT_PUBLIC'))
  const type = cursor.big(2)
  cursor.take(2) // hash of the name
  const attributes = cursor.big(4)
  cursor.sized() // policy
  if (type !== ALGORITHM.rsa && type !== ALGORITHM.ecc) throw broken('the key is neither RSA nor ECC')
  const key = type === ALGORITHM.rsa ? rsaIn(cursor) : eccIn(cursor)
  cursor.assertAtEnd()
  if ((attributes & ATTESTS) !== ATTESTS) throw broken('the key is not restricted to signing the structures of its TPM')
  return keyOf(key)
}
