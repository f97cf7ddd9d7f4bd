import { randomBytes } from 'node:crypto'
import { acceptPair, generatePair, pkcs8Of, pooledRsa } from '../../toolkit/key-pairs.ts'
import type { HeldKey, KeyType, Operation } from '../state/held.ts'

/** Curves by the platform's names: bits, and the name in node:crypto. */
const CURVES: Readonly<Record<string, { readonly size: number; readonly curve: string }>> = {
  NistP192: { size: 192, curve: 'prime192v1' },
  NistP224: { size: 224, curve: 'secp224r1' },
  NistP256: { size: 256, curve: 'prime256v1' },
  NistP384: { size: 384, curve: 'secp384r1' },
  NistP521: { size: 521, curve: 'secp521r1' },
  SecP192K1: { size: 192, curve: 'secp192k1' },
  SecP224K1: { size: 224, curve: 'secp224k1' },
  SecP256K1: { size: 256, curve: 'secp256k1' },
}

/** Keys of a type, as a group can have them. */
export interface KindRow {
  readonly sizes: readonly number[]
  /** Sets of operations; a key has a part of one of them. */
  readonly operations: readonly (readonly Operation[])[]
  /** Whether a key needs a whole set. */
  readonly needsWhole: boolean
}

const usual: Readonly<Record<KeyType, KindRow>> = {
  AES: { sizes: [128, 192, 256], operations: [['ENCRYPT', 'DECRYPT', 'WRAP', 'UNWRAP']], needsWhole: false },
  RSA: {
    sizes: [2048, 3072, 4096],
    operations: [['ENCRYPT', 'DECRYPT', 'SIGN', 'VERIFY', 'WRAP', 'UNWRAP']],
    needsWhole: false,
  },
  EC: { sizes: [192, 224, 256, 384, 521], operations: [['SIGN', 'VERIFY']], needsWhole: false },
}

/** Keys that another provider keeps. */
const elsewhere: Readonly<Partial<Record<KeyType, KindRow>>> = {
  AES: { sizes: [256], operations: [['ENCRYPT', 'DECRYPT']], needsWhole: true },
  RSA: {
    sizes: [2048, 3072, 4096],
    operations: [
      ['ENCRYPT', 'DECRYPT'],
      ['SIGN', 'VERIFY'],
    ],
    needsWhole: true,
  },
}

const BY_PROVIDER: Readonly<Record<string, Readonly<Partial<Record<KeyType, KindRow>>>>> = { AWS: elsewhere }

/** The rules for keys of a type in a group of a provider; `undefined` if the provider has none. */
export const kindOf = (provider: string, type: KeyType): KindRow | undefined => (BY_PROVIDER[provider] ?? usual)[type]

export const sizeOfCurve = (curve: string): number | undefined => CURVES[curve]?.size

/** Sizes of RSA keys that simulators of this process generate only once. */
const POOLED = 'datacust material'

/** New material, raw or PKCS #8. Ours: native RSA keys of a size are equal within a process, because they take long. */
export async function generateMaterial({ id, type, size, curve }: HeldKey): Promise<Buffer> {
  if (type === 'AES') return randomBytes(size / 8)
  if (type === 'RSA') return pkcs8Of(await pooledRsa(`${POOLED} ${Number.parseInt(id.slice(-2), 16) % 2}`, size))
  return generatePair({ family: 'ec', curve: CURVES[curve ?? '']?.curve ?? '' })
}

/** Size and curve of imported material, and its stored form; `undefined` if it is not of the type. */
export function readMaterial(
  type: KeyType,
  bytes: Buffer,
): { readonly bytes: Buffer; readonly size: number; readonly curve?: string } | undefined {
  if (type === 'AES') return [16, 24, 32].includes(bytes.length) ? { bytes, size: bytes.length * 8 } : undefined
  if (type === 'RSA') {
    const size = usual.RSA.sizes.find((modulusBits) => acceptPair({ family: 'rsa', modulusBits }, bytes))
    return size === undefined ? undefined : { bytes, size }
  }
  const found = Object.entries(CURVES).find(([, { curve }]) => acceptPair({ family: 'ec', curve }, bytes))
  return found && { bytes, size: found[1].size, curve: found[0] }
}
