import { randomBytes } from 'node:crypto'
import { acceptPair, generatePair, type PairKind } from '../../toolkit/key-pairs.ts'
import { incorrectMaterial } from '../wire/refusals.ts'

export type KeyUsage = 'ENCRYPT_DECRYPT' | 'SIGN_VERIFY' | 'GENERATE_VERIFY_MAC' | 'KEY_AGREEMENT'
export type WrappingAlgorithm =
  'RSAES_OAEP_SHA_1' | 'RSAES_OAEP_SHA_256' | 'RSA_AES_KEY_WRAP_SHA_1' | 'RSA_AES_KEY_WRAP_SHA_256'

/** A key spec. */
export interface KeySpecRow {
  readonly name: string
  readonly family: 'symmetric' | 'hmac' | 'rsa' | 'ec'
  /** Algorithms by usage. */
  readonly usages: Partial<Readonly<Record<KeyUsage, readonly string[]>>>
  /** Used when CreateKey names none. */
  readonly defaultUsage?: KeyUsage
  /** Length of raw keys; that of a symmetric key depends on the partition. */
  readonly bytes?: number
  readonly modulusBits?: number
  /** Name of the curve in node:crypto. */
  readonly curve?: string
  /** Wrapping algorithms that its material may have. */
  readonly wrappings: readonly WrappingAlgorithm[]
  /** Wrapping keys that are too short to wrap its material directly. */
  readonly directlyNotUnder?: readonly string[]
}

const DIRECT = ['RSAES_OAEP_SHA_1', 'RSAES_OAEP_SHA_256'] as const
const TWO_LAYERS = ['RSA_AES_KEY_WRAP_SHA_1', 'RSA_AES_KEY_WRAP_SHA_256'] as const
const RSA_SIGNATURES = [
  'RSASSA_PKCS1_V1_5_SHA_256',
  'RSASSA_PKCS1_V1_5_SHA_384',
  'RSASSA_PKCS1_V1_5_SHA_512',
  'RSASSA_PSS_SHA_256',
  'RSASSA_PSS_SHA_384',
  'RSASSA_PSS_SHA_512',
] as const

const symmetric: KeySpecRow = {
  name: 'SYMMETRIC_DEFAULT',
  family: 'symmetric',
  usages: { ENCRYPT_DECRYPT: ['SYMMETRIC_DEFAULT'] },
  defaultUsage: 'ENCRYPT_DECRYPT',
  wrappings: DIRECT,
}

const hmac = (bits: number): KeySpecRow => ({
  name: `HMAC_${bits}`,
  family: 'hmac',
  usages: { GENERATE_VERIFY_MAC: [`HMAC_SHA_${bits}`] },
  bytes: bits / 8,
  wrappings: DIRECT,
})

const rsa = (modulusBits: number): KeySpecRow => ({
  name: `RSA_${modulusBits}`,
  family: 'rsa',
  usages: { ENCRYPT_DECRYPT: DIRECT, SIGN_VERIFY: RSA_SIGNATURES },
  modulusBits,
  wrappings: TWO_LAYERS,
})

const ec = (name: string, curve: string, signature: string, more: Partial<KeySpecRow['usages']> = {}): KeySpecRow => ({
  name,
  family: 'ec',
  usages: { SIGN_VERIFY: [signature], ...more },
  curve,
  wrappings: [...DIRECT, ...TWO_LAYERS],
})

const AGREEMENT = { KEY_AGREEMENT: ['ECDH'] } as const

const ROWS: readonly KeySpecRow[] = [
  symmetric,
  hmac(224),
  hmac(256),
  hmac(384),
  hmac(512),
  rsa(2048),
  rsa(3072),
  rsa(4096),
  ec('ECC_NIST_P256', 'prime256v1', 'ECDSA_SHA_256', AGREEMENT),
  ec('ECC_NIST_P384', 'secp384r1', 'ECDSA_SHA_384', AGREEMENT),
  { ...ec('ECC_NIST_P521', 'secp521r1', 'ECDSA_SHA_512', AGREEMENT), directlyNotUnder: ['RSA_2048'] },
  ec('ECC_SECG_P256K1', 'secp256k1', 'ECDSA_SHA_256'),
]

export const KEY_SPECS: ReadonlyMap<string, KeySpecRow> = new Map(ROWS.map((row) => [row.name, row]))

/** Ours: specs of the real service that are missing here are refused as in a region without them. */
export const FOREIGN_SPECS = [
  'ECC_NIST_EDWARDS25519',
  'ML_DSA_44',
  'ML_DSA_65',
  'ML_DSA_87',
  'ML_KEM_512',
  'ML_KEM_768',
  'ML_KEM_1024',
  'SM2',
] as const

/** Members of a key's description that list its algorithms, by usage. */
export const ALGORITHM_MEMBERS: Readonly<Record<KeyUsage, string>> = {
  ENCRYPT_DECRYPT: 'EncryptionAlgorithms',
  SIGN_VERIFY: 'SigningAlgorithms',
  GENERATE_VERIFY_MAC: 'MacAlgorithms',
  KEY_AGREEMENT: 'KeyAgreementAlgorithms',
}

/** @throws Error for a name without a row: names are checked on input */
export function specRow(name: string): KeySpecRow {
  const row = KEY_SPECS.get(name)
  if (row === undefined) throw new Error(`There is no key spec ${name}.`)
  return row
}

/** @throws Error for a spec of raw bytes */
function pairKind({ name, modulusBits, curve }: KeySpecRow): PairKind {
  if (modulusBits !== undefined) return { family: 'rsa', modulusBits }
  if (curve !== undefined) return { family: 'ec', curve }
  throw new Error(`${name} is no key pair.`)
}

/** Length of raw material; `undefined` for a key pair. */
const rawBytes = ({ family, bytes }: KeySpecRow, symmetricBytes: number): number | undefined =>
  family === 'symmetric' ? symmetricBytes : bytes

/** New material: raw bytes, or PKCS #8 in DER. @param symmetricBytes of the partition */
export async function generateMaterial(row: KeySpecRow, symmetricBytes: number): Promise<Buffer> {
  const length = rawBytes(row, symmetricBytes)
  return length === undefined ? generatePair(pairKind(row)) : randomBytes(length)
}

/**
 * Imported material as it is stored.
 * @throws ServiceError IncorrectKeyMaterialException if it is not a key of this spec
 */
export function acceptMaterial(row: KeySpecRow, symmetricBytes: number, bytes: Buffer): Buffer {
  const length = rawBytes(row, symmetricBytes)
  if (length === undefined) {
    const accepted = acceptPair(pairKind(row), bytes)
    if (accepted !== undefined) return accepted
    throw incorrectMaterial(`The key material is no private key of ${row.name} in PKCS #8.`)
  }
  if (bytes.length === length) return bytes
  throw incorrectMaterial(`Key material of ${row.name} has ${length} bytes, not ${bytes.length}.`)
}
