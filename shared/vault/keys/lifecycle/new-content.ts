import {
  algorithmNamed,
  curveNamed,
  LOCAL_ALGORITHMS,
  requireSize,
  type AlgorithmRow,
} from '../../../crypto/algorithms.ts'
import { generateMaterial, type KeyMaterial } from '../../../crypto/key-material.ts'
import { requireXtsSize } from '../../../crypto/xts.ts'
import type { Context } from '../../../http/context.ts'
import { materialFrom } from '../material/material-in.ts'
import { pointingAt } from '../material/material.ts'
import type { CreateLocalKey } from '../model.ts'
import { algorithmOf } from '../record/algorithm-rules.ts'
import { certificateLinks } from '../record/certificate-links.ts'
import type { Shape } from '../record/new-record.ts'
import type { StoredLocalKey } from '../store.ts'

/** The content of a new key. */
export interface Content {
  readonly row: AlgorithmRow
  readonly shape: Shape
  /** absent for a key registered without material; destroy it after use */
  readonly material?: KeyMaterial
  readonly origin?: StoredLocalKey['origin']
  /** the field of the body that decides the size */
  readonly sizedBy: string
  /** the vault's keys that a certificate certifies */
  readonly links?: () => Promise<StoredLocalKey['links']>
}

type Way = (context: Context, body: CreateLocalKey) => Promise<Content>

const rowOf = (body: CreateLocalKey): Promise<AlgorithmRow> =>
  pointingAt('#/algorithm', () => algorithmNamed(algorithmOf(body)))

const sizeField = ({ family }: AlgorithmRow): string => (family === 'ec' ? '#/curveid' : '#/size')

/** A key generated here. */
const generated: Way = async (_context, body) => {
  const { size: sizeBits, curveid: curve, xts } = body
  const row = await rowOf(body)
  const sizedBy = sizeField(row)
  const material = await pointingAt(sizedBy, () => generateMaterial(row, { sizeBits, curve, xts }))
  return { row, shape: material, material, origin: 'generated', sizedBy }
}

/** A key, a secret or opaque bytes with the material of the body. */
const imported: Way = async (context, body) => {
  const row = await rowOf(body)
  const material = await materialFrom(context, { ...body, material: body.material ?? '', algorithm: row.name })
  return { row, shape: material, material, origin: 'imported', sizedBy: '#/material' }
}

/** A certificate, whose algorithm is in it. */
const importedCertificate: Way = async (context, body) => {
  const material = await materialFrom(context, { ...body, material: body.material ?? '' })
  return {
    row: LOCAL_ALGORITHMS[material.algorithm],
    shape: material,
    material,
    origin: 'imported',
    sizedBy: '#/material',
    links: () => certificateLinks(context, material),
  }
}

/** A key whose material comes later, or is kept elsewhere. */
const registered: Way = async (_context, body) => {
  const row = await rowOf(body)
  return { row, shape: await shapeOf(row, body), sizedBy: sizeField(row) }
}

function wayOf({ objectType, emptyMaterial, material }: CreateLocalKey): Way {
  if (objectType === 'Certificate') return importedCertificate
  if (emptyMaterial === true) return registered
  return material === undefined ? generated : imported
}

/** Generates, imports or registers the content of a new key. @throws Refusal RULE_BROKEN, and those of an import */
export const contentOf: Way = (context, body) => wayOf(body)(context, body)

/** The shape of a key that is registered without material. */
async function shapeOf(row: AlgorithmRow, { size, curveid, xts, objectType: wanted }: CreateLocalKey): Promise<Shape> {
  const { name: algorithm } = row
  const objectType = row.family === 'opaque' && wanted === 'Secret Data' ? wanted : row.objectType
  if (row.family === 'ec') {
    const curve = await pointingAt('#/curveid', () => curveNamed(row, curveid))
    return { algorithm, objectType, sizeBits: curve.sizeBits, curve: curve.id }
  }
  if (xts === true) {
    const sizeBits = size ?? row.xtsSizesBits?.[0] ?? 0
    await pointingAt('#/size', () => requireXtsSize(row, sizeBits))
    return { algorithm, objectType, sizeBits, xts }
  }
  const sizeBits = size ?? row.sizesBits[0] ?? 0
  await pointingAt('#/size', () => requireSize(row, sizeBits))
  return { algorithm, objectType, sizeBits }
}
