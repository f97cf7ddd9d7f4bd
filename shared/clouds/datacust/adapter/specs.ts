import { ruleBroken } from '../../../base/errors.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { namesOf } from '../../../base/fields.ts'
import { DATACUST_CURVES, type DatacustCurve, type DatacustOperation, type DatacustType } from '../param.ts'
import type { DatacustKeySpec } from './types.ts'

/** The properties of a local key that decide its kind at the cloud. */
type Shape = Pick<KeyMaterial, 'objectType' | 'algorithm' | 'sizeBits'> & { readonly curve?: string }

export const isAws = (provider: string): boolean => provider === 'AWS'

interface KindRow {
  readonly sizes: readonly number[]
  /** sets of operations: a key has a part of one, or a whole one if `isWhole` */
  readonly operations: readonly (readonly DatacustOperation[])[]
  readonly isWhole?: true
}
type Kinds = Readonly<Partial<Record<DatacustType, KindRow>>>

const CIPHER = ['ENCRYPT', 'DECRYPT'] as const
const SIGNATURE = ['SIGN', 'VERIFY'] as const
const WRAPPING = ['WRAP', 'UNWRAP'] as const
const RSA_SIZES = [2048, 3072, 4096]

const USUAL: Kinds = {
  AES: { sizes: [128, 192, 256], operations: [[...CIPHER, ...WRAPPING]] },
  RSA: { sizes: RSA_SIZES, operations: [[...CIPHER, ...SIGNATURE, ...WRAPPING]] },
  EC: { sizes: [192, 224, 256, 384, 521], operations: [SIGNATURE] },
}
const OF_AWS: Kinds = {
  AES: { sizes: [256], operations: [CIPHER], isWhole: true },
  RSA: { sizes: RSA_SIZES, operations: [CIPHER, SIGNATURE], isWhole: true },
}

const isWithin = ({ operations, isWhole }: KindRow, wanted: readonly DatacustOperation[]): boolean =>
  operations.some(
    (set) => wanted.every((one) => set.includes(one)) && (isWhole !== true || set.length === wanted.length),
  )

type Wanted = Pick<DatacustKeySpec, 'type' | 'size' | 'operations' | 'exportable'>

/**
 * Refuses properties that keys of a group cannot have, before any call.
 * @param wanted without `size`, if the cloud does not report it
 * @throws Refusal RULE_BROKEN
 */
export function assertPossible(provider: string, wanted: Omit<Wanted, 'size'> & { readonly size?: number }): void {
  const { type, size, operations, exportable } = wanted
  const row = (isAws(provider) ? OF_AWS : USUAL)[type]
  if (row === undefined) throw ruleBroken('type', `must be AES or RSA in a group whose keystore is ${provider}`)
  if (size !== undefined && !row.sizes.includes(size))
    throw ruleBroken('size', `of ${type} must be one of ${row.sizes.join(', ')}`)
  if (!isWithin(row, operations)) {
    const sets = row.operations.map((set) => set.join(', ')).join('; or ')
    throw ruleBroken('operations', `of ${type} must be ${row.isWhole ? '' : 'some of '}${sets}`)
  }
  if (isAws(provider) && exportable === true)
    throw ruleBroken('exportable', `must be false in a group whose keystore is ${provider}`)
}

/** Kinds of local key by the cloud's types. */
const LOCAL: Readonly<Record<DatacustType, { readonly algorithm: string; readonly objectType: string }>> = {
  AES: { algorithm: 'aes', objectType: 'Symmetric Key' },
  RSA: { algorithm: 'rsa', objectType: 'Private Key' },
  EC: { algorithm: 'ec', objectType: 'Private Key' },
}
const TYPES = namesOf(LOCAL)
const CURVES = namesOf(DATACUST_CURVES)

const curveOf = (local: string | undefined): DatacustCurve | undefined =>
  CURVES.find((name) => DATACUST_CURVES[name].local === local)

/** The cloud's kind of a local key. @throws Refusal RULE_BROKEN for a kind that the cloud does not have */
export function kindOf(
  { algorithm, objectType, sizeBits, curve: local }: Shape,
  pointer?: string,
): Pick<DatacustKeySpec, 'type' | 'size' | 'curve'> {
  const type = TYPES.find((one) => LOCAL[one].algorithm === algorithm && LOCAL[one].objectType === objectType)
  const curve = type === 'EC' ? curveOf(local) : undefined
  if (type === undefined || (type === 'EC' && curve === undefined))
    throw ruleBroken('source_key_identifier', 'must be an AES key, or the private half of an RSA or EC pair', pointer)
  return curve === undefined ? { type, size: sizeBits } : { type, size: DATACUST_CURVES[curve].bits, curve }
}

/** A kind of key as the cloud describes it. */
export interface DescribedKind {
  readonly type: string
  readonly size?: number | undefined
  /** of an EC key, where the cloud reports it */
  readonly curve?: unknown
}

/** @throws Refusal RULE_BROKEN unless a key of the kind accepts the material */
export function assertMaterialFits(wanted: DescribedKind, material: Shape, pointer?: string): void {
  const kind = kindOf(material, pointer)
  const isSameCurve = wanted.curve === undefined || wanted.curve === kind.curve
  if (kind.type === wanted.type && (wanted.size ?? kind.size) === kind.size && isSameCurve) return
  const detail = `must be a local key of type ${wanted.type} and ${wanted.size ?? 'the same number of'} bits`
  throw ruleBroken('source_key_identifier', detail, pointer)
}

/** Algorithm and size of a local key with fitting material. @throws Refusal RULE_BROKEN for an EC key */
export function localFor({ type, size }: DescribedKind, pointer?: string) {
  if (type === 'AES' && size !== undefined) return { algorithm: 'aes' as const, sizeBits: size }
  if (type === 'RSA' && size !== undefined) return { algorithm: 'rsa' as const, sizeBits: size }
  throw ruleBroken('auto_rotate_key_source', `must be native for a key of type ${type}`, pointer)
}
