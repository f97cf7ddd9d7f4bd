import { randomBytes } from 'node:crypto'
import { acceptPair, generatePair, type PairKind } from '../toolkit/key-pairs.ts'
import type { Purpose } from './enums.ts'

/** An algorithm: number on the wire, purpose, material. */
export interface AlgorithmRow {
  readonly name: string
  readonly number: number
  readonly purpose: Purpose
  readonly material: PairKind | { readonly family: 'raw'; readonly bytes: number }
  /** Hash of signatures, MACs and OAEP; absent where the caller's bytes are signed unhashed. */
  readonly hash?: string
  readonly padding?: 'pss' | 'pkcs1' | 'raw-pkcs1' | 'oaep'
  readonly hardwareOnly?: true
  /** Cipher of node:crypto, for keys that callers use as a bare cipher. */
  readonly rawCipher?: `aes-${128 | 256}-${'gcm' | 'cbc' | 'ctr'}`
  /** Additional permission to create such keys, because the cipher does not authenticate. */
  readonly permission?: string
}

const rsaSign = (bits: number, padding: 'pss' | 'pkcs1', hash: 'sha256' | 'sha512', number: number): AlgorithmRow => ({
  name: `RSA_SIGN_${padding.toUpperCase()}_${bits}_${hash.toUpperCase()}`,
  number,
  purpose: 'ASYMMETRIC_SIGN',
  material: { family: 'rsa', modulusBits: bits },
  hash,
  padding,
})

const rsaRaw = (bits: number, number: number): AlgorithmRow => ({
  name: `RSA_SIGN_RAW_PKCS1_${bits}`,
  number,
  purpose: 'ASYMMETRIC_SIGN',
  material: { family: 'rsa', modulusBits: bits },
  padding: 'raw-pkcs1',
})

const rsaDecrypt = (bits: number, hash: string, number: number): AlgorithmRow => ({
  name: `RSA_DECRYPT_OAEP_${bits}_${hash.toUpperCase()}`,
  number,
  purpose: 'ASYMMETRIC_DECRYPT',
  material: { family: 'rsa', modulusBits: bits },
  hash,
  padding: 'oaep',
})

const ecSign = (name: string, curve: string, hash: string, number: number): AlgorithmRow => ({
  name,
  number,
  purpose: 'ASYMMETRIC_SIGN',
  material: { family: 'ec', curve },
  hash,
})

const hmac = (hash: string, bytes: number, number: number): AlgorithmRow => ({
  name: `HMAC_${hash.toUpperCase()}`,
  number,
  purpose: 'MAC',
  material: { family: 'raw', bytes },
  hash,
})

const rawAes = (bits: 128 | 256, mode: 'gcm' | 'cbc' | 'ctr', number: number): AlgorithmRow => ({
  name: `AES_${bits}_${mode.toUpperCase()}`,
  number,
  purpose: 'RAW_ENCRYPT_DECRYPT',
  material: { family: 'raw', bytes: bits / 8 },
  rawCipher: `aes-${bits}-${mode}`,
  ...(mode === 'cbc' && { permission: 'cloudkms.cryptoKeyVersions.manageRawAesCbcKeys' }),
  ...(mode === 'ctr' && { permission: 'cloudkms.cryptoKeyVersions.manageRawAesCtrKeys' }),
})

const ROWS: readonly AlgorithmRow[] = [
  {
    name: 'GOOGLE_SYMMETRIC_ENCRYPTION',
    number: 1,
    purpose: 'ENCRYPT_DECRYPT',
    material: { family: 'raw', bytes: 32 },
  },
  rawAes(128, 'gcm', 41),
  rawAes(256, 'gcm', 19),
  rawAes(128, 'cbc', 42),
  rawAes(256, 'cbc', 43),
  rawAes(128, 'ctr', 44),
  rawAes(256, 'ctr', 45),
  rsaSign(2048, 'pss', 'sha256', 2),
  rsaSign(3072, 'pss', 'sha256', 3),
  rsaSign(4096, 'pss', 'sha256', 4),
  rsaSign(4096, 'pss', 'sha512', 15),
  rsaSign(2048, 'pkcs1', 'sha256', 5),
  rsaSign(3072, 'pkcs1', 'sha256', 6),
  rsaSign(4096, 'pkcs1', 'sha256', 7),
  rsaSign(4096, 'pkcs1', 'sha512', 16),
  rsaRaw(2048, 28),
  rsaRaw(3072, 29),
  rsaRaw(4096, 30),
  rsaDecrypt(2048, 'sha256', 8),
  rsaDecrypt(3072, 'sha256', 9),
  rsaDecrypt(4096, 'sha256', 10),
  rsaDecrypt(4096, 'sha512', 17),
  rsaDecrypt(2048, 'sha1', 37),
  rsaDecrypt(3072, 'sha1', 38),
  rsaDecrypt(4096, 'sha1', 39),
  ecSign('EC_SIGN_P256_SHA256', 'prime256v1', 'sha256', 12),
  ecSign('EC_SIGN_P384_SHA384', 'secp384r1', 'sha384', 13),
  { ...ecSign('EC_SIGN_SECP256K1_SHA256', 'secp256k1', 'sha256', 31), hardwareOnly: true },
  hmac('sha256', 32, 32),
  hmac('sha1', 20, 33),
  hmac('sha384', 48, 34),
  hmac('sha512', 64, 35),
  hmac('sha224', 28, 36),
]

/** Names and wire numbers, for `wordOf`. */
export const ALGORITHMS: Readonly<Record<string, number>> = Object.fromEntries(
  ROWS.map(({ name, number }) => [name, number]),
)

/** @throws Error for a name without a row: names are checked on input */
export function algorithmRow(name: string): AlgorithmRow {
  const row = ROWS.find((each) => each.name === name)
  if (row === undefined) throw new Error(`There is no algorithm ${name}.`)
  return row
}

/** New material: raw bytes, or PKCS #8 in DER. */
export const generateMaterial = async ({ material }: AlgorithmRow): Promise<Buffer> =>
  material.family === 'raw' ? randomBytes(material.bytes) : generatePair(material)

/** Imported material as it is stored. @returns a sentence if it does not fit the algorithm */
export function acceptMaterial({ name, material }: AlgorithmRow, bytes: Buffer): Buffer | string {
  if (material.family !== 'raw')
    return acceptPair(material, bytes) ?? `Key material is no PKCS #8 private key of ${name}.`
  return bytes.length === material.bytes ? bytes : `Key material of ${name} must have ${material.bytes} bytes.`
}
