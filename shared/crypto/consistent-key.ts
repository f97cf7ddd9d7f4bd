import { createPublicKey, sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Refusal } from '../base/errors.ts'
import { findCurve, requireSize } from './algorithms.ts'
import type { AlgorithmRow } from './algorithms.ts'
import { TAG, bigintOf, memberAt, membersOf, readDer } from './der.ts'
import { pkcs8Of } from './key-material.ts'
import type { KeyMaterial } from './key-material.ts'
import { SecretBytes } from './secret-bytes.ts'

/** FIPS 186-5 §A.1.1: the public exponent is odd and above 2^16. Smaller ones enabled attacks on padding checks. */
const SMALLEST_EXPONENT = 65537n

const broken = (sentence: string, cause?: unknown) => new Refusal('RULE_BROKEN', sentence, { cause })

/**
 * Material of an imported asymmetric key, after checks that OpenSSL omits when it reads one: kind, size, curve, and
 * consistent numbers.
 * @throws Refusal RULE_BROKEN
 */
export function materialOfKey(row: AlgorithmRow, key: KeyObject): KeyMaterial {
  const kind = row.family === 'rsa' ? rsaKind(row, key) : ecKind(row, key)
  if (key.type === 'public') {
    const bytes = SecretBytes.take(key.export({ format: 'der', type: 'spki' }))
    return { objectType: 'Public Key', algorithm: row.name, ...kind, bytes }
  }
  requirePair(key)
  return { objectType: 'Private Key', algorithm: row.name, ...kind, bytes: pkcs8Of(key) }
}

function rsaKind(row: AlgorithmRow, key: KeyObject): { sizeBits: number } {
  // RSASSA-PSS keys (`rsa-pss`) are limited to one use; local keys are not
  if (key.asymmetricKeyType !== 'rsa') throw broken(`material is not a key of algorithm ${row.name}`)
  const { modulusLength: sizeBits = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  requireSize(row, sizeBits)
  if (publicExponent < SMALLEST_EXPONENT || publicExponent % 2n === 0n) {
    throw broken('the public exponent of material must be odd and at least 65537')
  }
  if (key.type === 'private') requireRsaNumbers(key)
  return { sizeBits }
}

/** RFC 8017 §3.2. OpenSSL hides wrong CRT numbers: it falls back to the plain exponent. */
function requireRsaNumbers(key: KeyObject): void {
  const pkcs1 = key.export({ format: 'der', type: 'pkcs1' })
  const [version, n, e, d, p, q, dp, dq, qInverse] = membersOf(readDer(pkcs1, TAG.sequence)).map((member) =>
    member.tag === TAG.integer ? bigintOf(member) : undefined,
  )
  pkcs1.fill(0)
  if (version !== 0n) throw broken('material with more than two primes is not taken')
  const all = n !== undefined && e !== undefined && d !== undefined && p !== undefined && q !== undefined
  if (!all || dp === undefined || dq === undefined || qInverse === undefined) throw inconsistent()
  const belong =
    p > 1n &&
    q > 1n &&
    p !== q &&
    n === p * q &&
    d > 0n &&
    d < n &&
    dp === d % (p - 1n) &&
    dq === d % (q - 1n) &&
    (e * d) % (p - 1n) === 1n &&
    (e * d) % (q - 1n) === 1n &&
    (qInverse * q) % p === 1n
  if (!belong) throw inconsistent()
}

function ecKind(row: AlgorithmRow, key: KeyObject): { sizeBits: number; curve: string } {
  const type = key.asymmetricKeyType
  if (type !== 'ec' && type !== 'ed25519') throw broken(`material is not a key of algorithm ${row.name}`)
  const name = type === 'ed25519' ? 'curve25519' : key.asymmetricKeyDetails?.namedCurve
  const curve = name === undefined ? undefined : findCurve(row, name)
  if (curve === undefined) throw broken('the curve of material is not offered')
  if (type === 'ec') requireOneEncoding(key)
  return { sizeBits: curve.sizeBits, curve: curve.id }
}

/**
 * Ours: named curves only (RFC 5480 §2.1.1 forbids explicit parameters, which OpenSSL accepts) and the uncompressed
 * point (SEC 1 §2.3.3), never infinity, so that a key has one encoding and one fingerprint.
 */
function requireOneEncoding(key: KeyObject): void {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  const spki = membersOf(readDer(publicKey.export({ format: 'der', type: 'spki' }), TAG.sequence))
  const parameters = membersOf(memberAt(spki, 0, TAG.sequence))[1]
  if (parameters?.tag !== TAG.oid) throw broken('the curve of material must be given by name')
  // the first byte of a BIT STRING counts unused bits, the second is the first of the point
  if (memberAt(spki, 1, TAG.bitString).body[1] !== 0x04) throw broken('the point of material must be uncompressed')
}

/** Signs and verifies once: fails for a private half that does not match its public half or its curve. */
function requirePair(key: KeyObject): void {
  const message = Buffer.from('pairwise consistency', 'utf8')
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  let holds
  try {
    holds = verify(hash, message, createPublicKey(key), sign(hash, message, key))
  } catch (cause) {
    throw inconsistent(cause)
  }
  if (!holds) throw inconsistent()
}

const inconsistent = (cause?: unknown) => broken('the numbers of material do not belong to one key', cause)
