import { ruleBroken } from '../../../base/errors.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { namesOf } from '../../../base/fields.ts'
import type { CloudDAlgorithm } from '../param.ts'

/** The properties of a local key that decide its shape at the cloud. */
type Shape = Pick<KeyMaterial, 'objectType' | 'algorithm' | 'sizeBits'>

/** The cloud's description of a kind of key. */
export interface CloudDShape {
  readonly algorithm: string
  /** bytes */
  readonly length: number
}

/** Kinds of local key that the cloud imports: no elliptic-curve pairs. */
const IMPORTED = {
  AES: { algorithm: 'aes', objectType: 'Symmetric Key', sizes: [128, 192, 256] },
  RSA: { algorithm: 'rsa', objectType: 'Private Key', sizes: [2048, 3072, 4096] },
} as const satisfies Partial<Record<CloudDAlgorithm, object>>
type Imported = keyof typeof IMPORTED
const KINDS = namesOf(IMPORTED)

const WANTED = 'must be an AES key of 128, 192 or 256 bits, or an RSA private key of 2048, 3072 or 4096 bits'

/** @param pointer where a request names the key @throws Refusal RULE_BROKEN for material that the cloud does not import */
export function shapeFor(
  { algorithm, objectType, sizeBits }: Shape,
  pointer?: string,
): CloudDShape & { readonly algorithm: Imported } {
  const kind = KINDS.find((name) => {
    const row = IMPORTED[name]
    const sizes: readonly number[] = row.sizes
    return row.algorithm === algorithm && row.objectType === objectType && sizes.includes(sizeBits)
  })
  if (kind === undefined) throw ruleBroken('source_key_identifier', WANTED, pointer)
  return { algorithm: kind, length: sizeBits / 8 }
}

/** @throws Refusal RULE_BROKEN unless a key of the shape accepts the material */
export function assertMaterialFits(wanted: CloudDShape, material: Shape, pointer?: string): void {
  const { algorithm, length } = shapeFor(material, pointer)
  if (algorithm === wanted.algorithm && length === wanted.length) return
  const detail = `must be a local key of algorithm ${wanted.algorithm} and ${wanted.length * 8} bits`
  throw ruleBroken('source_key_identifier', detail, pointer)
}

/**
 * Algorithm and size of a local key with fitting material. @throws Refusal RULE_BROKEN for a kind of key that the cloud
 * does not import
 */
export function localFor({ algorithm, length }: CloudDShape, pointer?: string) {
  const kind = KINDS.find((name) => name === algorithm)
  if (kind !== undefined) return { algorithm: IMPORTED[kind].algorithm, sizeBits: length * 8 }
  throw ruleBroken('auto_rotate_key_source', `must be native for a key of algorithm ${algorithm}`, pointer)
}
