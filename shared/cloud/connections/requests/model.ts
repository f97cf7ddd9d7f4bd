import * as z from 'zod'
import { nameFields } from '../../../http/subject-names.ts'
import { object, strictObject } from '../../../base/lazy-fields.ts'

const SIZES = [2048, 4096] as const

export const RequestCertificate = strictObject(() => ({
  cn: nameFields.cn,
  names: nameFields.names,
  algorithm: z.enum(['RSA']).default('RSA'),
  size: z
    .literal(SIZES)
    .default(SIZES[0])
    .meta({ description: `bits of the key; ${SIZES[0]} unless given` }),
}))
export type RequestCertificate = z.infer<typeof RequestCertificate>

/** The private key stays here until a connection is created with the certificate. */
export const RequestedCertificate = object(() => ({
  csr: z.string().meta({ description: 'PEM; an authority makes a certificate of it, within 24 hours' }),
}))
export type RequestedCertificate = z.infer<typeof RequestedCertificate>
