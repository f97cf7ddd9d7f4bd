import { algorithmNamed, curveNamed, findAlgorithm, requireSize } from '../../../crypto/algorithms.ts'
import { requireXtsSize } from '../../../crypto/xts.ts'
import { Refusal } from '../../../base/errors.ts'
import { rulesOf, type Rule } from '../../../http/rules.ts'
import type { Fields } from '../../../base/json.ts'
import { CreateLocalKey } from '../model.ts'
import { assertNotLegacy, isWhollyLegacy } from './legacy.ts'

/** The message of the refusal that `check` throws; `false` if it does not throw. */
function refusedWith(check: () => unknown): string | false {
  try {
    check()
    return false
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

function assertOffered(algorithm: string): void {
  const row = algorithmNamed(algorithm)
  if (isWhollyLegacy(row)) assertNotLegacy(row, 0)
}

/** The algorithm of a body that names none: `opaque` for bytes that are not a key, otherwise `aes`. */
export const algorithmOf = ({ algorithm, objectType }: Pick<CreateLocalKey, 'algorithm' | 'objectType'>): string =>
  algorithm ?? (objectType === 'Secret Data' || objectType === 'Opaque Object' ? 'opaque' : 'aes')

/**
 * The row with the sizes that a body may have; `undefined` for a certificate, whose key determines the size, and if a
 * template may name the algorithm.
 */
const rowOf = (body: Fields) =>
  typeof (body.algorithm ?? '') === 'string' &&
  body.objectType !== 'Certificate' &&
  (body.algorithm !== undefined || body.templateId === undefined)
    ? findAlgorithm(algorithmOf(body))
    : undefined

/** Rules for a body that creates a key, from the table of algorithms. */
export const ALGORITHM_RULES: readonly Rule[] = [
  {
    message: 'algorithm must be one that this service offers; tdes only where the deployment allows legacy algorithms',
    field: 'algorithm',
    broken: ({ algorithm }) => typeof algorithm === 'string' && refusedWith(() => assertOffered(algorithm)),
  },
  {
    message:
      'size must be one that the algorithm has; for ec the curve says it; of rsa under 2048 bits only where the deployment allows legacy algorithms; with xts 256 or 128, of each half',
    field: 'size',
    broken: (body) => {
      const { size } = body
      const row = rowOf(body)
      return (
        typeof size === 'number' &&
        row !== undefined &&
        row.family !== 'ec' &&
        refusedWith(() => {
          if (body.xts === true && row.xtsSizesBits !== undefined) requireXtsSize(row, size)
          else requireSize(row, size)
          if (!isWhollyLegacy(row)) assertNotLegacy(row, size)
        })
      )
    },
  },
  {
    message: 'xts goes with algorithm aes, and with no objectType but Symmetric Key',
    field: 'xts',
    broken: (body) => {
      const { xts, objectType } = body
      const row = rowOf(body)
      const isOther = objectType !== undefined && objectType !== 'Symmetric Key'
      return xts === true && (isOther || (row !== undefined && row.xtsSizesBits === undefined))
    },
  },
  {
    message:
      'curveid goes with algorithm ec, and must be one of its curves; under 224 bits only where the deployment allows legacy algorithms',
    field: 'curveid',
    broken: (body) => {
      const { curveid } = body
      const row = rowOf(body)
      if (typeof curveid !== 'string' || row === undefined) return false
      return row.family !== 'ec' || refusedWith(() => assertNotLegacy(row, curveNamed(row, curveid).sizeBits))
    },
  },
]

/** All rules of a body that creates a key. */
export const KEY_RULES: readonly Rule[] = [...rulesOf(CreateLocalKey), ...ALGORITHM_RULES]
