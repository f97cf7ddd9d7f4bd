import { Refusal } from '../base/errors.ts'
import { isNameIn } from '../base/json.ts'
import { setOddParity, tdesFault } from './tdes.ts'
import { USAGE } from './usage.ts'

/**
 * The word of the `usage` summary for each bit. Ours: export, derivation, key agreement and cryptograms have no word;
 * only `usageMask` shows them.
 */
const USAGE_WORDS: readonly (readonly [word: string, bits: number])[] = [
  ['encryption', USAGE.encrypt | USAGE.decrypt | USAGE.translateEncrypt | USAGE.translateDecrypt],
  ['signing', USAGE.sign | USAGE.verify | USAGE.contentCommit | USAGE.certificateSign | USAGE.crlSign],
  ['mac', USAGE.macGenerate | USAGE.macVerify],
  ['wrap', USAGE.wrap | USAGE.unwrap | USAGE.translateWrap | USAGE.translateUnwrap],
  ['fpe', USAGE.fpeEncrypt | USAGE.fpeDecrypt],
]

/** Readable summary of a usage mask, such as `encryption/wrap`; empty when no bit has a word. */
export function usageSummary(mask: number): string {
  return USAGE_WORDS.filter(([, bits]) => (mask & bits) !== 0)
    .map(([word]) => word)
    .join('/')
}

export type AlgorithmName =
  | 'aes'
  | 'aria'
  | 'tdes'
  | 'rsa'
  | 'ec'
  | 'ml-dsa'
  | 'ml-kem'
  | 'hmac-sha1'
  | 'hmac-sha256'
  | 'hmac-sha384'
  | 'hmac-sha512'
  | 'opaque'
export type HmacHash = 'sha1' | 'sha256' | 'sha384' | 'sha512'

/** An algorithm of local keys. */
export interface AlgorithmRow {
  /** Lower case, as in the API. */
  readonly name: AlgorithmName
  readonly family: 'symmetric' | 'rsa' | 'ec' | 'lattice' | 'hmac' | 'opaque'
  /** Type of the record that a create call returns unless the body requests another. A public half is linked to it. */
  readonly objectType: 'Symmetric Key' | 'Private Key' | 'Opaque Object'
  /** Default first; empty for `ec`, whose curve sets the size. For `lattice`, the numbers of parameter sets. */
  readonly sizesBits: readonly number[]
  /** Sizes between two bounds, in whole bytes, in addition to `sizesBits`. */
  readonly sizeRangeBits?: { readonly from: number; readonly to: number }
  readonly defaultUsage: number
  /** Sizes of one half of its XTS keys, default first. */
  readonly xtsSizesBits?: readonly number[]
  /** Keys under this size may no longer protect data. */
  readonly legacyBelowBits?: number
  /** For an HMAC. */
  readonly hash?: HmacHash
  /** For a block cipher. */
  readonly block?: BlockCipher
  /** Default first. */
  readonly curves?: readonly CurveRow[]
}

export interface BlockCipher {
  /** OpenSSL name of the cipher for single blocks, by key size. */
  readonly ecbName: (sizeBits: number) => string
  readonly blockBytes: number
  /** Turns random bytes into a key, in place. */
  readonly finish?: (key: Buffer) => void
  /** The rule that an imported key of a valid size violates, if any. */
  readonly fault?: (key: Buffer) => string | undefined
}

export interface CurveRow {
  /** The `curveid` in the API. */
  readonly id: string
  /** OpenSSL name, as in `generateKeyPair` and `asymmetricKeyDetails`; Ed25519 has none. */
  readonly opensslName: string | undefined
  /** `asymmetricKeyType` of its keys. */
  readonly keyType: 'ec' | 'ed25519'
  readonly sizeBits: number
  readonly can: readonly ('sign' | 'agree')[]
}

const weierstrass = (id: string, sizeBits: number): CurveRow => ({
  id,
  opensslName: id,
  keyType: 'ec',
  sizeBits,
  can: ['sign', 'agree'],
})

/** A test generates, uses and parses each curve with the runtime's crypto. RFC 5639 defines brainpool. */
const CURVES: readonly CurveRow[] = [
  weierstrass('prime256v1', 256),
  weierstrass('secp224k1', 224),
  weierstrass('secp224r1', 224),
  weierstrass('secp256k1', 256),
  weierstrass('secp384r1', 384),
  weierstrass('secp521r1', 521),
  ...[160, 192, 224, 256, 320, 384, 512].flatMap((size) => [
    weierstrass(`brainpoolP${size}r1`, size),
    weierstrass(`brainpoolP${size}t1`, size),
  ]),
  // Ours: Ed25519 and not X25519, because sign and verify are the default usage of every ec key.
  { id: 'curve25519', opensslName: undefined, keyType: 'ed25519', sizeBits: 256, can: ['sign'] },
]

const SYMMETRIC_USAGE = USAGE.encrypt | USAGE.decrypt | USAGE.wrap | USAGE.unwrap
const MAC_USAGE = USAGE.macGenerate | USAGE.macVerify

const hmac = (hash: HmacHash, sizesBits: readonly number[]): AlgorithmRow => ({
  name: `hmac-${hash}`,
  family: 'hmac',
  objectType: 'Symmetric Key',
  sizesBits,
  defaultUsage: MAC_USAGE,
  hash,
})

/** Names, sizes and default usage of local keys. */
export const LOCAL_ALGORITHMS: Readonly<Record<AlgorithmName, AlgorithmRow>> = {
  aes: {
    name: 'aes',
    family: 'symmetric',
    objectType: 'Symmetric Key',
    sizesBits: [256, 192, 128],
    xtsSizesBits: [256, 128], // IEEE 1619-2018 §5.1
    defaultUsage: SYMMETRIC_USAGE,
    block: { ecbName: (size) => `aes-${size}-ecb`, blockBytes: 16 },
  },
  /** RFC 5794. */
  aria: {
    name: 'aria',
    family: 'symmetric',
    objectType: 'Symmetric Key',
    sizesBits: [256, 192, 128],
    defaultUsage: SYMMETRIC_USAGE,
    block: { ecbName: (size) => `aria-${size}-ecb`, blockBytes: 16 },
  },
  /** NIST SP 800-67 Rev. 2. Sizes include the parity bits: 192 bits are three keys, 128 two. */
  tdes: {
    name: 'tdes',
    family: 'symmetric',
    objectType: 'Symmetric Key',
    sizesBits: [192, 128],
    legacyBelowBits: Infinity, // NIST SP 800-131A Rev. 2, §2: disallowed after 2023
    defaultUsage: SYMMETRIC_USAGE,
    block: {
      ecbName: (size) => (size === 192 ? 'des-ede3-ecb' : 'des-ede-ecb'),
      blockBytes: 8,
      finish: setOddParity,
      fault: tdesFault,
    },
  },
  rsa: {
    name: 'rsa',
    family: 'rsa',
    objectType: 'Private Key',
    sizesBits: [2048, 1024, 3072, 4096],
    legacyBelowBits: 2048, // NIST SP 800-131A Rev. 2, §3 and §6
    defaultUsage: USAGE.encrypt | USAGE.decrypt | USAGE.sign | USAGE.verify,
  },
  ec: {
    name: 'ec',
    family: 'ec',
    objectType: 'Private Key',
    sizesBits: [],
    legacyBelowBits: 224, // NIST SP 800-131A Rev. 2, §3
    defaultUsage: USAGE.sign | USAGE.verify,
    curves: CURVES,
  },
  /** FIPS 204. Ours: `size` is the parameter set. */
  'ml-dsa': {
    name: 'ml-dsa',
    family: 'lattice',
    objectType: 'Private Key',
    sizesBits: [65, 44, 87],
    defaultUsage: USAGE.sign | USAGE.verify,
  },
  /** FIPS 203. Ours: `size` is the parameter set, and encapsulation counts as wrapping: KMIP has no bit for it. */
  'ml-kem': {
    name: 'ml-kem',
    family: 'lattice',
    objectType: 'Private Key',
    sizesBits: [768, 512, 1024],
    defaultUsage: USAGE.wrap | USAGE.unwrap,
  },
  'hmac-sha1': {
    ...hmac('sha1', [160]),
    // Ours: up to the block size of SHA-1, 512 bits; HMAC hashes a longer key first, which gains nothing (RFC 2104 §3).
    sizeRangeBits: { from: 128, to: 512 },
  },
  'hmac-sha256': hmac('sha256', [256, 192, 128]),
  'hmac-sha384': hmac('sha384', [384, 288, 192]),
  'hmac-sha512': hmac('sha512', [512, 384, 256]),
  /** Bytes that no operation interprets: an Opaque Object, or Secret Data. */
  opaque: {
    name: 'opaque',
    family: 'opaque',
    objectType: 'Opaque Object',
    sizesBits: [],
    sizeRangeBits: { from: 8, to: 262_144 }, // Ours: the most that one import in hex can contain
    defaultUsage: 0,
  },
}

/**
 * Algorithm names that are refused, each with its reason. Ours: a key that no operation and no cloud can use would be
 * misleading.
 */
export const NOT_OFFERED: Readonly<Record<string, string>> = {
  seed: 'the cryptography of this runtime has it in its legacy provider only, which is not loaded',
}

/** The row of `name`, in any case; undefined if there is none. */
export function findAlgorithm(name: string): AlgorithmRow | undefined {
  const lower = name.toLowerCase()
  return isNameIn(LOCAL_ALGORITHMS, lower) ? LOCAL_ALGORITHMS[lower] : undefined
}

/** @throws Refusal RULE_BROKEN with the reason: not offered, or unknown */
export function algorithmNamed(name: string): AlgorithmRow {
  const row = findAlgorithm(name)
  if (row !== undefined) return row
  const lower = name.toLowerCase()
  const reason = Object.hasOwn(NOT_OFFERED, lower) ? NOT_OFFERED[lower] : undefined
  throw new Refusal(
    'RULE_BROKEN',
    reason === undefined
      ? `algorithm must be one of ${Object.keys(LOCAL_ALGORITHMS).join(', ')}`
      : `algorithm ${lower} is not offered: ${reason}`,
  )
}

/** The curve with this `curveid`, in any case. */
export function findCurve(row: AlgorithmRow, id: string): CurveRow | undefined {
  return row.curves?.find((curve) => curve.id.toLowerCase() === id.toLowerCase())
}

/** Whether `sizeBits` is a size of the row; for `ec`, check the curve instead. */
export function allowsSize(row: AlgorithmRow, sizeBits: number): boolean {
  const { sizesBits, sizeRangeBits: range } = row
  if (sizesBits.includes(sizeBits)) return true
  return range !== undefined && sizeBits % 8 === 0 && sizeBits >= range.from && sizeBits <= range.to
}

/** @throws Refusal RULE_BROKEN unless `sizeBits` is a size of the row */
export function requireSize(row: AlgorithmRow, sizeBits: number): void {
  if (allowsSize(row, sizeBits)) return
  const range = row.sizeRangeBits
  const fixed = row.sizesBits.length === 0 ? [] : [`one of ${row.sizesBits.join(', ')}`]
  const also = range === undefined ? [] : [`whole bytes from ${range.from} to ${range.to}`]
  const unit = row.family === 'lattice' ? ', its parameter sets' : ' bits'
  throw new Refusal('RULE_BROKEN', `size of ${row.name} must be ${[...fixed, ...also].join(' or ')}${unit}`)
}

/**
 * The curve of a create call; the default when `id` is undefined.
 * @throws Refusal RULE_BROKEN for an unknown curve
 */
export function curveNamed(row: AlgorithmRow, id: string | undefined): CurveRow {
  const curve = id === undefined ? row.curves?.[0] : findCurve(row, id)
  if (curve !== undefined) return curve
  throw new Refusal(
    'RULE_BROKEN',
    `curveid of ${row.name} must be one of ${(row.curves ?? []).map(({ id }) => id).join(', ')}`,
  )
}
