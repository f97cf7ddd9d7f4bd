import { createPublicKey, sign, verify } from 'node:crypto'
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
  const kind = row.family === 'rsa' ? rsaKind(row, key) : ecKind(row, key)
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
