import { randomBytes } from 'node:crypto'
import { acceptPair, generatePair, type PairKind } from '../../toolkit/key-pairs.ts'
import type { Shape } from '../state/held.ts'
import { requiredObject, textAt, wordAt, type Body } from '../wire/body.ts'
import { invalid, missing } from '../wire/errors.ts'

/** Lengths in bytes, by algorithm. */
const LENGTHS = { AES: [16, 24, 32], RSA: [256, 384, 512], ECDSA: [32, 48, 66] } as const
const ALGORITHMS = ['AES', 'RSA', 'ECDSA'] as const
/** Curves by their length, with their names in node:crypto. */
const CURVES: Readonly<Record<number, { readonly id: string; readonly name: string }>> = {
  32: { id: 'NIST_P256', name: 'prime256v1' },
  48: { id: 'NIST_P384', name: 'secp384r1' },
  66: { id: 'NIST_P521', name: 'secp521r1' },
}

/** @throws ApiError MissingParameter, InvalidParameter */
export function shapeIn(body: Body): Shape {
  const shape = requiredObject(body, 'keyShape')
  const algorithm = wordAt(shape, 'algorithm', ALGORITHMS)
  if (algorithm === undefined) throw missing('keyShape.algorithm')
  const lengths: readonly number[] = LENGTHS[algorithm]
  const length = lengths.find((each) => each === shape.length)
  if (length === undefined) throw invalid(`keyShape.length must be one of ${lengths.join(', ')} for ${algorithm}.`)
  const curveId = textAt(shape, 'curveId')
  if (algorithm !== 'ECDSA') {
    if (curveId !== undefined) throw invalid('keyShape.curveId is for ECDSA keys only.')
    return { algorithm, length }
  }
  const { id = '' } = CURVES[length] ?? {}
  if (curveId !== undefined && curveId !== id) throw invalid(`keyShape.curveId must be ${id} for this length.`)
  return { algorithm, length, curveId: id }
}

const pairKind = ({ algorithm, length }: Shape): PairKind | undefined => {
  if (algorithm === 'AES') return undefined
  return algorithm === 'RSA'
    ? { family: 'rsa', modulusBits: length * 8 }
    : { family: 'ec', curve: CURVES[length]?.name ?? '' }
}

/** New material: raw bytes, or PKCS #8 in DER. */
export async function generateMaterial(shape: Shape): Promise<Buffer> {
  const kind = pairKind(shape)
  return kind === undefined ? randomBytes(shape.length) : generatePair(kind)
}

/** Imported material as it is stored. @returns `undefined` if it does not fit the shape */
export function acceptMaterial(shape: Shape, bytes: Buffer): Buffer | undefined {
  const kind = pairKind(shape)
  if (kind !== undefined) return acceptPair(kind, bytes)
  return bytes.length === shape.length ? bytes : undefined
}
