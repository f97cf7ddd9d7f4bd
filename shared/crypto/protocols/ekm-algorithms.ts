import { USAGE } from '../usage.ts'
import type { SignatureName } from '../signing/sign.ts'

/** One algorithm of an EKM endpoint. The cloud's name states scheme, size and hash. */
export interface EkmAlgorithm {
  readonly keyType: 'symmetric' | 'asymmetric'
  /** the local key behind it */
  readonly local: { readonly algorithm: 'aes' | 'rsa' | 'ec'; readonly size?: number; readonly curveid?: string }
  /** usage bits that the local key must have */
  readonly usage: number
  /** signing keys only */
  readonly signing?: { readonly signature: SignatureName; readonly hash: EkmHash; readonly scheme: SigningScheme }
}

export type EkmHash = 'sha256' | 'sha384' | 'sha512'
export const DIGEST_BYTES: Readonly<Record<EkmHash, number>> = { sha256: 32, sha384: 48, sha512: 64 }
export type SigningScheme = 'rsa-pss' | 'rsa-pkcs1' | 'ecdsa'

const SIGN = USAGE.sign | USAGE.verify

const rsa = (scheme: 'rsa-pss' | 'rsa-pkcs1', size: number, hash: 'sha256' | 'sha512'): EkmAlgorithm => ({
  keyType: 'asymmetric',
  local: { algorithm: 'rsa', size },
  usage: SIGN,
  signing: { signature: `${scheme}-${hash}`, hash, scheme },
})
const ec = (curveid: string, hash: 'sha256' | 'sha384'): EkmAlgorithm => ({
  keyType: 'asymmetric',
  local: { algorithm: 'ec', curveid },
  usage: SIGN,
  signing: { signature: `ecdsa-${hash}`, hash, scheme: 'ecdsa' },
})

/** Default first. The names are the cloud's. */
export const EKM_ALGORITHMS = {
  AES256: {
    keyType: 'symmetric',
    local: { algorithm: 'aes', size: 256 },
    usage: USAGE.encrypt | USAGE.decrypt | USAGE.wrap | USAGE.unwrap,
  },
  RSA_SIGN_PSS_2048_SHA256: rsa('rsa-pss', 2048, 'sha256'),
  RSA_SIGN_PSS_3072_SHA256: rsa('rsa-pss', 3072, 'sha256'),
  RSA_SIGN_PSS_4096_SHA256: rsa('rsa-pss', 4096, 'sha256'),
  RSA_SIGN_PSS_4096_SHA512: rsa('rsa-pss', 4096, 'sha512'),
  RSA_SIGN_PKCS1_2048_SHA256: rsa('rsa-pkcs1', 2048, 'sha256'),
  RSA_SIGN_PKCS1_3072_SHA256: rsa('rsa-pkcs1', 3072, 'sha256'),
  RSA_SIGN_PKCS1_4096_SHA256: rsa('rsa-pkcs1', 4096, 'sha256'),
  RSA_SIGN_PKCS1_4096_SHA512: rsa('rsa-pkcs1', 4096, 'sha512'),
  EC_SIGN_P256_SHA256: ec('prime256v1', 'sha256'),
  EC_SIGN_P384_SHA384: ec('secp384r1', 'sha384'),
} as const satisfies Record<string, EkmAlgorithm>

export type EkmAlgorithmName = keyof typeof EKM_ALGORITHMS

/** The row of a validated name. */
export const ekmAlgorithm = (name: EkmAlgorithmName): EkmAlgorithm => EKM_ALGORITHMS[name]

export const isEkmAlgorithm = (name: unknown): name is EkmAlgorithmName =>
  typeof name === 'string' && Object.hasOwn(EKM_ALGORITHMS, name)
