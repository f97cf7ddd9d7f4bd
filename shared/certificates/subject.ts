import * as z from 'zod'
import type { Rule } from '../http/rules.ts'
import { nameFields } from '../http/subject-names.ts'

/** Subject and key of a certificate: fields of a body for a certificate request. */
export const subjectFields = {
  algorithm: z.enum(['ECDSA', 'RSA']).default('ECDSA'),
  size: z.int().optional().meta({ description: '256, 384 or 521 for ECDSA; 2048, 3072 or 4096 for RSA' }),
  ...nameFields,
}

const SIZES = { ECDSA: [256, 384, 521], RSA: [2048, 3072, 4096] } as const
const CURVES: Readonly<Record<number, string>> = { 256: 'prime256v1', 384: 'secp384r1', 521: 'secp521r1' }

export const sizeFitsAlgorithm: Rule = {
  message: 'size must be one of the algorithm',
  field: 'size',
  broken: ({ algorithm = 'ECDSA', size }) => {
    if (typeof size !== 'number' || (algorithm !== 'ECDSA' && algorithm !== 'RSA')) return false
    const sizes: readonly number[] = SIZES[algorithm]
    return sizes.includes(size) ? false : `size of ${algorithm} must be one of ${sizes.join(', ')}`
  },
}

type SubjectFields = z.infer<z.ZodObject<typeof subjectFields>>

/** The requested key, in the terms of the vault. */
export const keyOf = ({
  algorithm,
  size,
}: Pick<SubjectFields, 'algorithm' | 'size'>):
  { algorithm: 'rsa'; size: number } | { algorithm: 'ec'; curveid: string } =>
  algorithm === 'RSA'
    ? { algorithm: 'rsa', size: size ?? SIZES.RSA[0] }
    : { algorithm: 'ec', curveid: CURVES[size ?? SIZES.ECDSA[0]] ?? '' } // the rule allows only these sizes
