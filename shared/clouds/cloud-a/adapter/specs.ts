import type { AlgorithmName } from '../../../crypto/algorithms.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { WRAPPINGS, type WrappingRow } from '../../../crypto/wrap.ts'
import type { Refusal } from '../../../base/errors.ts'
import { ruleBroken } from '../../../base/errors.ts'
import { DAY_MS } from '../../../base/time.ts'
import type { CloudAName, CloudASpec, CloudAUsage } from '../keys/model.ts'

/** Properties that a local key needs to become a key of a kind. */
export interface LocalShape {
  readonly algorithm: AlgorithmName
  readonly sizeBits: number
  readonly curve?: string
}

/** A kind of key: its usages, and how material is imported into it. */
export interface CloudASpecRow {
  readonly name: CloudASpec
  /** The interface's default, if any, is the first. */
  readonly usages: readonly CloudAUsage[]
  readonly usageMustBeGiven: boolean
  readonly symmetric: boolean
  readonly fits: (cloud: CloudAName) => LocalShape
  /** the cloud's name of the wrapping, and ours */
  readonly wrappingAlgorithm: 'RSAES_OAEP_SHA_256' | 'RSA_AES_KEY_WRAP_SHA_256'
  readonly wrapping: WrappingRow
}

/** SP 800-56B; every key except RSA keys fits under RSA_4096, which wraps up to 446 bytes. */
const DIRECT = { wrappingAlgorithm: 'RSAES_OAEP_SHA_256', wrapping: WRAPPINGS.oaep256 } as const
const TWO_LAYERS = {
  wrappingAlgorithm: 'RSA_AES_KEY_WRAP_SHA_256',
  wrapping: WRAPPINGS['RSA/RSAAESKEYWRAPPADDING'],
} as const

/** The cn edition's symmetric keys are SM4, of 128 bits; the material is plain bytes for any algorithm. */
const SYMMETRIC: CloudASpecRow = {
  name: 'SYMMETRIC_DEFAULT',
  usages: ['ENCRYPT_DECRYPT'],
  usageMustBeGiven: false,
  symmetric: true,
  fits: (cloud) => ({ algorithm: 'aes', sizeBits: cloud === 'cloud-a-cn' ? 128 : 256 }),
  ...DIRECT,
}

const rsa = (name: CloudASpec, sizeBits: number): CloudASpecRow => ({
  name,
  usages: ['ENCRYPT_DECRYPT', 'SIGN_VERIFY'],
  usageMustBeGiven: true,
  symmetric: false,
  fits: () => ({ algorithm: 'rsa', sizeBits }),
  ...TWO_LAYERS,
})

const ecc = (name: CloudASpec, curve: string, sizeBits: number): CloudASpecRow => ({
  name,
  usages: ['SIGN_VERIFY'],
  usageMustBeGiven: false,
  symmetric: false,
  fits: () => ({ algorithm: 'ec', sizeBits, curve }),
  ...DIRECT,
})

const hmac = (name: CloudASpec, algorithm: AlgorithmName, sizeBits: number): CloudASpecRow => ({
  name,
  usages: ['GENERATE_VERIFY_MAC'],
  usageMustBeGiven: false,
  symmetric: true,
  fits: () => ({ algorithm, sizeBits }),
  ...DIRECT,
})

/**
 * Usages and defaults are those of the upload body. Sizes and wrappings: the cloud's documentation on imported
 * material.
 */
const SPECS: readonly CloudASpecRow[] = [
  SYMMETRIC,
  rsa('RSA_2048', 2048),
  rsa('RSA_3072', 3072),
  rsa('RSA_4096', 4096),
  ecc('ECC_NIST_P256', 'prime256v1', 256),
  ecc('ECC_NIST_P384', 'secp384r1', 384),
  ecc('ECC_NIST_P521', 'secp521r1', 521),
  ecc('ECC_SECG_P256K1', 'secp256k1', 256),
  hmac('HMAC_224', 'hmac-sha1', 224), // Ours: no hmac-sha224 here; the only one with keys of 224 bits
  hmac('HMAC_256', 'hmac-sha256', 256),
  hmac('HMAC_384', 'hmac-sha384', 384),
  hmac('HMAC_512', 'hmac-sha512', 512),
]

/** @param pointer to the field of the request, if it is not in `cloud_a_param` */
const broken = (field: string, detail: string, pointer = `#/cloud_a_param/${field}`): Refusal =>
  ruleBroken(field, detail, pointer)

/** @throws Refusal RULE_BROKEN for a kind that this service can neither create nor import material into */
export function specNamed(name: string): CloudASpecRow {
  const row = SPECS.find((spec) => spec.name === name)
  if (row !== undefined) return row
  throw broken('CustomerMasterKeySpec', `must be one of ${SPECS.map((spec) => spec.name).join(', ')}`)
}

/** The properties of a local key created for a kind of key. @throws Refusal RULE_BROKEN */
export const localFor = (cloud: CloudAName, spec: string): LocalShape => specNamed(spec).fits(cloud)

/**
 * The usage of a new key: the requested one, or the interface's default.
 * @throws Refusal RULE_BROKEN for a usage that the kind does not allow, or a missing one without a default
 */
export function usageFor(specName: string, wanted?: CloudAUsage): CloudAUsage {
  const { name, usages, usageMustBeGiven } = specNamed(specName)
  const usage = wanted ?? (usageMustBeGiven ? undefined : usages[0])
  if (usage !== undefined && usages.includes(usage)) return usage
  throw broken('KeyUsage', `of ${name} must be ${usages.join(' or ')}`)
}

/**
 * @param pointer to the wrong field of the request, if it is not the kind of key
 * @throws Refusal RULE_BROKEN, naming suitable kinds, unless the kind can use a key of that shape
 */
export function assertMaterialFits(
  specName: string,
  material: Pick<KeyMaterial, 'objectType' | 'algorithm' | 'sizeBits' | 'curve'>,
  cloud: CloudAName,
  pointer?: string,
): void {
  const { name, fits, symmetric } = specNamed(specName)
  const { algorithm, sizeBits, curve } = fits(cloud)
  const same =
    material.objectType === (symmetric ? 'Symmetric Key' : 'Private Key') &&
    material.algorithm === algorithm &&
    (curve === undefined ? material.sizeBits === sizeBits : material.curve === curve)
  if (same) return
  const wanted = curve === undefined ? `of ${sizeBits} bits` : `on the curve ${curve}`
  const half = symmetric ? '' : ', its private half'
  const sm4 = name === SYMMETRIC.name && cloud === 'cloud-a-cn' ? '; in this edition it becomes an SM4 key' : ''
  throw broken(
    'CustomerMasterKeySpec',
    `${name} takes a local key of algorithm ${algorithm} ${wanted}${half}${sm4}`,
    pointer,
  )
}

export const EXPIRY_DAYS_MOST = 365

/**
 * When imported material expires.
 * @param pointer of the field, if it is not `ValidTo` of `cloud_a_param`
 * @throws Refusal RULE_BROKEN for a time in the past or more than 365 days ahead, which the cloud refuses too
 */
export function expiryOf(validTo: string, now: Date, pointer?: string): Date {
  const at = new Date(validTo)
  const aheadMs = at.getTime() - now.getTime()
  if (aheadMs > 0 && aheadMs <= EXPIRY_DAYS_MOST * DAY_MS) return at
  throw broken('ValidTo', `must be in the future, at most ${EXPIRY_DAYS_MOST} days ahead`, pointer)
}
