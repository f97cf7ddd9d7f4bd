import { ruleBroken, type Refusal } from '../../../base/errors.ts'
import type { LocalSpec } from '../../../cloud/keys/source-key.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { CLOUD_B_RSA_BITS, type CloudBCurve, type CloudBKeyType } from '../param.ts'
import type { CloudBKeySpec } from './types.ts'

/** The kind of vault key that results from a local key's material. */
export interface MaterialRow {
  readonly family: 'RSA' | 'EC' | 'oct'
  /** for EC keys */
  readonly crv?: CloudBCurve
  readonly size: number
}

/** Curves: in local keys, in the interface, and in the cloud's API. */
const CURVES: readonly (readonly [curve: string, crv: CloudBCurve, wire: string])[] = [
  ['prime256v1', 'P-256', 'P-256'],
  ['secp384r1', 'P-384', 'P-384'],
  ['secp521r1', 'P-521', 'P-521'],
  ['secp256k1', 'SECP256K1', 'P-256K'],
]
const AES_BITS: readonly number[] = [128, 192, 256]
/** The cloud does not report the size of an octet key. */
const AES_DEFAULT_BITS = 256

const HELD =
  'Vaults take private RSA keys of 2048, 3072 or 4096 bits and private EC keys of the curves P-256, P-384, P-521 and SECP256K1; managed HSM pools take AES keys too.'

/** A curve in the cloud's word for it, converted from the interface's. */
export const cloudsCurve = (crv: CloudBCurve): string => CURVES.find(([, ours]) => ours === crv)?.[2] ?? crv
export const neutralCurve = (wire: string): string => CURVES.find(([, , theirs]) => theirs === wire)?.[1] ?? wire

type Described = Pick<KeyMaterial, 'objectType' | 'algorithm' | 'sizeBits' | 'curve'>

function rowOf({ objectType, algorithm, sizeBits, curve }: Described, isPool: boolean): MaterialRow | undefined {
  if (algorithm === 'aes' && objectType === 'Symmetric Key')
    return isPool && AES_BITS.includes(sizeBits) ? { family: 'oct', size: sizeBits } : undefined
  if (objectType !== 'Private Key') return undefined
  const bits: readonly number[] = CLOUD_B_RSA_BITS
  if (algorithm === 'rsa') return bits.includes(sizeBits) ? { family: 'RSA', size: sizeBits } : undefined
  const crv = algorithm === 'ec' ? CURVES.find(([ours]) => ours === curve)?.[1] : undefined
  return crv && { family: 'EC', crv, size: sizeBits }
}

const differs = (wanted: unknown, is: unknown): boolean => wanted !== undefined && wanted !== is

const broken = (detail: string): Refusal => ruleBroken('local_key_identifier', detail)

/**
 * The kind of vault key that results from the material.
 * @param spec any kinds that it names must match the material
 * @throws Refusal RULE_BROKEN for material that vaults do not support, or of another kind than the spec
 */
export function rowFor(
  material: Described,
  isPool: boolean,
  { kty, crv, key_size: size }: Pick<CloudBKeySpec, 'kty' | 'crv' | 'key_size'> = {},
): MaterialRow {
  const row = rowOf(material, isPool)
  if (row === undefined) throw broken(`names a key that cannot be uploaded here. ${HELD.slice(0, -1)}`)
  const isOther =
    differs(kty?.replace('-HSM', ''), row.family) ||
    differs(crv, row.crv) ||
    (row.family !== 'EC' && differs(size, row.size))
  if (isOther) throw broken(`names a key of another kind than wanted: it is ${row.family} ${row.crv ?? row.size}`)
  return row
}

/**
 * @param field of the request that names the material @throws Refusal RULE_BROKEN for material that vaults do not
 * support
 */
export function assertMaterialFits(material: Described, isPool: boolean, field: string): void {
  if (rowOf(material, isPool) === undefined)
    throw ruleBroken(field, `names a key that cannot be uploaded here. ${HELD.slice(0, -1)}`)
}

/** The local key to create for an imported version. @throws Refusal RULE_BROKEN for a kind without one */
export function localFor({
  kty,
  crv,
  key_size: sizeBits = 0,
}: Pick<CloudBKeySpec, 'kty' | 'crv' | 'key_size'>): LocalSpec {
  if (kty?.startsWith('RSA') === true) return { algorithm: 'rsa', sizeBits }
  if (kty?.startsWith('oct') === true)
    return { algorithm: 'aes', sizeBits: sizeBits === 0 ? AES_DEFAULT_BITS : sizeBits }
  const curve = CURVES.find(([, ours]) => ours === crv)?.[0]
  if (curve === undefined) throw ruleBroken('crv', `must be one of ${CURVES.map(([, ours]) => ours).join(', ')}`)
  return { algorithm: 'ec', sizeBits, curve }
}

/** Type of the vault key that results from a row. */
export const keyTypeOf = ({ family }: MaterialRow, isHsm: boolean): CloudBKeyType =>
  isHsm || family === 'oct' ? `${family}-HSM` : family
