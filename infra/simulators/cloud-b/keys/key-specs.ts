import { randomBytes } from 'node:crypto'
import { generatePair, type PairKind } from '../../toolkit/key-pairs.ts'

export type Kty = 'RSA' | 'RSA-HSM' | 'EC' | 'EC-HSM' | 'oct-HSM'

interface KtyRow {
  readonly family: 'RSA' | 'EC' | 'oct'
  readonly hsm: boolean
  /** Whether vaults support it; a managed HSM supports exactly the kinds in hardware. */
  readonly inVaults: boolean
  readonly ops: readonly string[]
  /** The default operations of a key. */
  readonly usualOps: readonly string[]
}

const RSA_OPS = ['encrypt', 'decrypt', 'sign', 'verify', 'wrapKey', 'unwrapKey']
const OCT_OPS = ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']
const EC_OPS = ['sign', 'verify']

export const KINDS: Readonly<Record<Kty, KtyRow>> = {
  RSA: { family: 'RSA', hsm: false, inVaults: true, ops: RSA_OPS, usualOps: RSA_OPS },
  'RSA-HSM': { family: 'RSA', hsm: true, inVaults: true, ops: [...RSA_OPS, 'import', 'export'], usualOps: RSA_OPS },
  EC: { family: 'EC', hsm: false, inVaults: true, ops: EC_OPS, usualOps: EC_OPS },
  'EC-HSM': { family: 'EC', hsm: true, inVaults: true, ops: [...EC_OPS, 'export'], usualOps: EC_OPS },
  'oct-HSM': { family: 'oct', hsm: true, inVaults: false, ops: [...OCT_OPS, 'export'], usualOps: OCT_OPS },
}

/** Names of curves on the wire and in node:crypto. */
export const CURVES: Readonly<Record<string, { readonly node: string; readonly bytes: number }>> = {
  'P-256': { node: 'prime256v1', bytes: 32 },
  'P-384': { node: 'secp384r1', bytes: 48 },
  'P-521': { node: 'secp521r1', bytes: 66 },
  'P-256K': { node: 'secp256k1', bytes: 32 },
}

export const RSA_BITS: readonly number[] = [2048, 3072, 4096]
export const OCT_BITS: readonly number[] = [128, 192, 256]

export interface KeySpec {
  readonly kty: Kty
  readonly bits?: number | undefined
  readonly crv?: string | undefined
}

/** Kind of a pair; `undefined` for octet keys. */
export function pairKindOf({ kty, bits, crv }: KeySpec): PairKind | undefined {
  const { family } = KINDS[kty]
  if (family === 'RSA') return { family: 'rsa', modulusBits: bits ?? 2048 }
  return family === 'EC' ? { family: 'ec', curve: CURVES[crv ?? '']?.node ?? '' } : undefined
}

/** New material: raw bytes, or PKCS #8 in DER. */
export async function generateMaterial(spec: KeySpec): Promise<Buffer> {
  const kind = pairKindOf(spec)
  return kind === undefined ? randomBytes((spec.bits ?? 256) / 8) : generatePair(kind)
}
