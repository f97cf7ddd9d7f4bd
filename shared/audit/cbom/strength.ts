import { defined } from '../../base/fields.ts'
import type { KeyKindUsed } from './inventory.ts'

/** Readiness for attacks with quantum computers. Ours: `unknown` for bytes that the service does not interpret. */
export type Readiness = 'ready' | 'hybrid' | 'vulnerable' | 'unknown'

/** The strength of a kind of key. */
export interface Strength {
  /** in CycloneDX */
  readonly primitive: 'block-cipher' | 'ae' | 'pke' | 'signature' | 'mac' | 'key-agree' | 'kem' | 'other' | 'unknown'
  readonly functions: readonly string[]
  readonly oid?: string | undefined
  /** bits */
  readonly classical?: number | undefined
  /** NIST's categories 1 to 5; 0 for none */
  readonly quantum?: number | undefined
  readonly readiness: Readiness
  /** recommended action */
  readonly advice: string
}

/** NIST's category of a brute-force search for a symmetric key. @see NIST IR 8547 §2.2 */
const categoryOf = (bits: number): number => (bits >= 256 ? 5 : bits >= 192 ? 3 : bits >= 128 ? 1 : 0)

const AS_IT_IS = 'nothing'
const LONGER = 'use 256 bits for data that stays secret beyond 2035'
const REPLACE = 'plan a replacement by ML-KEM or ML-DSA: deprecated after 2030 and disallowed after 2035 (NIST IR 8547)'
const AT_ONCE = 'replace it now: it may no longer protect data (NIST SP 800-131A)'

const symmetric = (primitive: Strength['primitive'], functions: readonly string[], bits: number): Strength => ({
  primitive,
  functions,
  classical: bits,
  quantum: categoryOf(bits),
  readiness: bits >= 128 ? 'ready' : 'vulnerable',
  advice: bits >= 256 ? AS_IT_IS : bits >= 128 ? LONGER : AT_ONCE,
})

const CIPHER = ['keygen', 'encrypt', 'decrypt', 'other'] // `other`: wrapping keys
const SIGNING = ['keygen', 'sign', 'verify']

/** Bits of security by the length of an RSA modulus. @see NIST SP 800-57 Part 1 Rev. 5 §5.6.1.1 */
const RSA_BITS: readonly (readonly [modulus: number, bits: number])[] = [
  [15_360, 256],
  [7_680, 192],
  [3_072, 128],
  [2_048, 112],
  [1_024, 80],
]

const BRAINPOOL = [160, 192, 224, 256, 320, 384, 512]
const CURVE_OIDS: Readonly<Record<string, string>> = {
  prime256v1: '1.2.840.10045.3.1.7',
  secp224k1: '1.3.132.0.32',
  secp224r1: '1.3.132.0.33',
  secp256k1: '1.3.132.0.10',
  secp384r1: '1.3.132.0.34',
  secp521r1: '1.3.132.0.35',
  curve25519: '1.3.101.112',
  // RFC 5639 §4
  ...Object.fromEntries(
    BRAINPOOL.flatMap((size, at) => [
      [`brainpoolP${size}r1`, `1.3.36.3.3.2.8.1.1.${2 * at + 1}`],
      [`brainpoolP${size}t1`, `1.3.36.3.3.2.8.1.1.${2 * at + 2}`],
    ]),
  ),
}

const HMAC_OIDS: Readonly<Record<string, string>> = {
  'hmac-sha1': '1.2.840.113549.2.7',
  'hmac-sha224': '1.2.840.113549.2.8',
  'hmac-sha256': '1.2.840.113549.2.9',
  'hmac-sha384': '1.2.840.113549.2.10',
  'hmac-sha512': '1.2.840.113549.2.11',
}

/** NIST's categories of ML-DSA and ML-KEM by parameter set. @see FIPS 203, FIPS 204 */
const PQ_CATEGORIES: Readonly<Record<number, number>> = { 44: 2, 65: 3, 87: 5, 512: 1, 768: 3, 1024: 5 }

const vulnerable = (primitive: Strength['primitive'], functions: readonly string[], classical: number): Strength => ({
  primitive,
  functions,
  ...(classical > 0 && { classical }),
  quantum: 0,
  readiness: 'vulnerable',
  advice: classical > 0 && classical < 112 ? AT_ONCE : REPLACE,
})

const postQuantum = (primitive: Strength['primitive'], functions: readonly string[], set: number): Strength => ({
  primitive,
  functions,
  ...defined({ quantum: PQ_CATEGORIES[set] }),
  readiness: 'ready',
  advice: AS_IT_IS,
})

const UNREAD: Strength = {
  primitive: 'unknown',
  functions: ['unknown'],
  readiness: 'unknown',
  advice: 'find out what it is used for',
}

const STRENGTHS: Readonly<Record<string, (kind: { bits: number; curve: string }) => Strength>> = {
  aes: ({ bits }) => ({ ...symmetric('block-cipher', CIPHER, bits), oid: '2.16.840.1.101.3.4.1' }),
  aria: ({ bits }) => ({ ...symmetric('block-cipher', CIPHER, bits), oid: '1.2.410.200046.1.1' }),
  // Effective bits. @see NIST SP 800-57 Part 1 Rev. 5 §5.6.1.1
  tdes: ({ bits }) => ({ ...symmetric('block-cipher', CIPHER, bits === 192 ? 112 : 80), oid: '1.2.840.113549.3.7' }),
  rsa: ({ bits }) => ({
    ...vulnerable('pke', [...SIGNING, 'encrypt', 'decrypt'], RSA_BITS.find(([least]) => bits >= least)?.[1] ?? 0),
    oid: '1.2.840.113549.1.1.1',
  }),
  ec: ({ bits, curve }) => ({ ...vulnerable('signature', SIGNING, Math.floor(bits / 2)), oid: CURVE_OIDS[curve] }),
  'ml-dsa': ({ bits }) => postQuantum('signature', SIGNING, bits),
  'ml-kem': ({ bits }) => postQuantum('kem', ['keygen', 'encapsulate', 'decapsulate'], bits),
}

/** The strength of a kind of key. */
export function strengthOf({ algorithm, sizeBits: bits = 0, curve = '' }: KeyKindUsed): Strength {
  const oid = HMAC_OIDS[algorithm]
  if (oid !== undefined) return { ...symmetric('mac', ['keygen', 'tag'], bits), oid }
  return STRENGTHS[algorithm]?.({ bits, curve }) ?? UNREAD
}
