import type { AlgorithmName } from '../../../crypto/algorithms.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import type { Refusal } from '../../../base/errors.ts'
import { ruleBroken } from '../../../base/errors.ts'
import { namesOf } from '../../../base/fields.ts'
import { CLOUD_C_ALGORITHMS } from '../param.ts'
import type { CloudCAlgorithm, CloudCPurpose } from '../param.ts'

/** Properties that a local key needs to become a key of a kind. */
export interface CloudCSpecRow {
  readonly name: CloudCAlgorithm
  readonly purpose: CloudCPurpose
  readonly symmetric: boolean
  readonly local: { readonly algorithm: AlgorithmName; readonly sizeBits: number; readonly curve?: string }
}

type Local = CloudCSpecRow['local']

const RSA: Readonly<Record<2048 | 3072 | 4096, Local>> = {
  2048: { algorithm: 'rsa', sizeBits: 2048 },
  3072: { algorithm: 'rsa', sizeBits: 3072 },
  4096: { algorithm: 'rsa', sizeBits: 4096 },
}

/** Sizes and curves: the cloud's documentation of its algorithms. HMAC keys are as long as their output. */
const LOCAL: Readonly<Record<CloudCAlgorithm, Local>> = {
  SYMMETRIC_ENCRYPTION: { algorithm: 'aes', sizeBits: 256 },
  EC_SIGN_P256_SHA256: { algorithm: 'ec', sizeBits: 256, curve: 'prime256v1' },
  EC_SIGN_P384_SHA384: { algorithm: 'ec', sizeBits: 384, curve: 'secp384r1' },
  EC_SIGN_SECP256K1_SHA256: { algorithm: 'ec', sizeBits: 256, curve: 'secp256k1' },
  RSA_SIGN_PSS_2048_SHA256: RSA[2048],
  RSA_SIGN_PSS_3072_SHA256: RSA[3072],
  RSA_SIGN_PSS_4096_SHA256: RSA[4096],
  RSA_SIGN_PSS_4096_SHA512: RSA[4096],
  RSA_SIGN_PKCS1_2048_SHA256: RSA[2048],
  RSA_SIGN_PKCS1_3072_SHA256: RSA[3072],
  RSA_SIGN_PKCS1_4096_SHA256: RSA[4096],
  RSA_SIGN_PKCS1_4096_SHA512: RSA[4096],
  RSA_SIGN_RAW_PKCS1_2048: RSA[2048],
  RSA_SIGN_RAW_PKCS1_3072: RSA[3072],
  RSA_SIGN_RAW_PKCS1_4096: RSA[4096],
  RSA_DECRYPT_OAEP_2048_SHA256: RSA[2048],
  RSA_DECRYPT_OAEP_3072_SHA256: RSA[3072],
  RSA_DECRYPT_OAEP_4096_SHA256: RSA[4096],
  RSA_DECRYPT_OAEP_4096_SHA512: RSA[4096],
  HMAC_SHA256: { algorithm: 'hmac-sha256', sizeBits: 256 },
  HMAC_SHA1: { algorithm: 'hmac-sha1', sizeBits: 160 },
  HMAC_SHA384: { algorithm: 'hmac-sha384', sizeBits: 384 },
  HMAC_SHA512: { algorithm: 'hmac-sha512', sizeBits: 512 },
}

const PURPOSES = namesOf(CLOUD_C_ALGORITHMS)

const ROWS: ReadonlyMap<string, CloudCSpecRow> = new Map(
  PURPOSES.flatMap((purpose) =>
    CLOUD_C_ALGORITHMS[purpose].map((name: CloudCAlgorithm) => {
      const local = LOCAL[name]
      return [name, { name, purpose, local, symmetric: local.algorithm !== 'rsa' && local.algorithm !== 'ec' }] as const
    }),
  ),
)

/** @param pointer to the field of the request, if it is not in its `cloud_c_params` */
const broken = (detail: string, pointer = '#/cloud_c_params/algorithm'): Refusal =>
  ruleBroken('algorithm', detail, pointer)

/**
 * The algorithm of a new key: the requested one, or the first of its purpose.
 * @throws Refusal RULE_BROKEN when it does not belong to the purpose, or the purpose has none
 */
export function algorithmFor(purpose: string, wanted?: string): CloudCAlgorithm {
  const known = PURPOSES.find((each) => each === purpose)
  const names: readonly CloudCAlgorithm[] = known === undefined ? [] : CLOUD_C_ALGORITHMS[known]
  const name = wanted === undefined ? names[0] : names.find((each) => each === wanted)
  if (name !== undefined) return name
  throw broken(
    names.length === 0
      ? `of purpose ${purpose} cannot be chosen here`
      : `of purpose ${purpose} must be one of ${names.join(', ')}`,
  )
}

/**
 * Properties of a local key whose material fits a key of the algorithm.
 * @throws Refusal RULE_BROKEN for an algorithm that accepts no material
 */
export function localFor(algorithm: string, pointer?: string): Local {
  const row = ROWS.get(algorithm)
  if (row === undefined) throw broken(`${algorithm} takes no local key`, pointer)
  return row.local
}

/**
 * @param algorithm in the interface's spelling
 * @param pointer to the wrong field of the request, if it is not the algorithm
 * @throws Refusal RULE_BROKEN, naming suitable keys, unless a key of that algorithm can use the material
 */
export function assertMaterialFits(
  algorithm: string,
  material: Pick<KeyMaterial, 'objectType' | 'algorithm' | 'sizeBits' | 'curve'>,
  pointer?: string,
): void {
  const row = ROWS.get(algorithm)
  if (row === undefined) throw broken(`${algorithm} takes no local key`, pointer)
  const { local, symmetric } = row
  const same =
    material.objectType === (symmetric ? 'Symmetric Key' : 'Private Key') &&
    material.algorithm === local.algorithm &&
    (local.curve === undefined ? material.sizeBits === local.sizeBits : material.curve === local.curve)
  if (same) return
  const wanted = local.curve === undefined ? `of ${local.sizeBits} bits` : `on the curve ${local.curve}`
  const half = symmetric ? '' : ', its private half'
  throw broken(`${algorithm} takes a local key of algorithm ${local.algorithm} ${wanted}${half}`, pointer)
}
