import { createPublicKey, decapsulate, encapsulate, sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import { findCurve, requireSize } from '../algorithms.ts'
import type { AlgorithmRow } from '../algorithms.ts'
import { TAG, memberAt, membersOf, readDer } from '../asn1/der.ts'
import { pkcs8Of } from '../key-material.ts'
import type { KeyMaterial } from '../key-material.ts'
import { inconsistent, requireRsaPrivate, requireRsaPublic } from '../rsa/rsa-numbers.ts'
import { SecretBytes } from '../secret-bytes.ts'

const broken = (sentence: string) => new Refusal('RULE_BROKEN', sentence)

/**
 * Material of an imported asymmetric key, after checks that OpenSSL omits when it parses one: kind, size, curve, and
 * consistent numbers.
 * @throws Refusal RULE_BROKEN, TOO_MANY_REQUESTS when too many RSA keys are being checked
 */
export async function materialOfKey(row: AlgorithmRow, key: KeyObject): Promise<KeyMaterial> {
  const kind = KINDS[row.family === 'rsa' || row.family === 'lattice' ? row.family : 'ec'](row, key)
  if (row.family === 'rsa') await requireRsaPublic(key)
  if (key.type === 'public') {
    const bytes = SecretBytes.take(key.export({ format: 'der', type: 'spki' }))
    return { objectType: 'Public Key', algorithm: row.name, ...kind, bytes }
  }
  requirePair(key)
  if (row.family === 'rsa') await requireRsaPrivate(key)
  return { objectType: 'Private Key', algorithm: row.name, ...kind, bytes: pkcs8Of(key) }
}

function rsaKind(row: AlgorithmRow, key: KeyObject): { sizeBits: number } {
  if (key.asymmetricKeyType === 'rsa-pss')
    throw broken(`material is an RSASSA-PSS key, limited to one use, and not a key of algorithm ${row.name}`)
  if (key.asymmetricKeyType !== 'rsa') throw broken(`material is not a key of algorithm ${row.name}`)
  const { modulusLength: sizeBits = 0 } = key.asymmetricKeyDetails ?? {}
  requireSize(row, sizeBits)
  return { sizeBits }
}

/** The parameter set is part of the key's type, such as `ml-dsa-65`. */
function latticeKind(row: AlgorithmRow, { asymmetricKeyType: type }: KeyObject): { sizeBits: number } {
  const sizeBits = row.sizesBits.find((size) => type === `${row.name}-${size}`)
  if (sizeBits === undefined) throw broken(`material is not a key of algorithm ${row.name}`)
  return { sizeBits }
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

/** The size, and the curve, of a key of each family. @throws Refusal RULE_BROKEN for a key of another algorithm */
const KINDS: Readonly<Record<'rsa' | 'ec' | 'lattice', (row: AlgorithmRow, key: KeyObject) => Kind>> = {
  rsa: rsaKind,
  ec: ecKind,
  lattice: latticeKind,
}

interface Kind {
  readonly sizeBits: number
  readonly curve?: string
}

/** Types of keys that sign whole messages. */
const UNHASHED = /^(?:ed25519|ml-dsa-\d+)$/

function signsAndVerifies(key: KeyObject): boolean {
  const message = Buffer.from('pairwise consistency', 'utf8')
  const hash = UNHASHED.test(key.asymmetricKeyType ?? '') ? null : 'sha256'
  return verify(hash, message, createPublicKey(key), sign(hash, message, key))
}

/** FIPS 203 §7.1, pair-wise consistency: decapsulation returns what encapsulation agreed on. */
function agreesWithItself(key: KeyObject): boolean {
  const { sharedKey, ciphertext } = encapsulate(createPublicKey(key))
  return decapsulate(key, ciphertext).equals(sharedKey)
}

/** Uses a key once: fails for a private half that does not match its public half or its curve. */
function requirePair(key: KeyObject): void {
  let holds
  try {
    holds = key.asymmetricKeyType?.startsWith('ml-kem') === true ? agreesWithItself(key) : signsAndVerifies(key)
  } catch (cause) {
    throw inconsistent(cause)
  }
  if (!holds) throw inconsistent()
}
