import * as z from 'zod'
import type { AltNames } from '../crypto/x509/alt-names.ts'
import type { SubjectName } from '../crypto/x509/names.ts'
import type { Rule } from '../http/rules.ts'

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/** One attribute of a name, as long as RFC 5280 (appendix A.1, upper bounds) lets it be. */
const attribute = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => text.isWellFormed() && !CONTROL.test(text), { error: 'must have no control characters' })

const Names = z.strictObject({
  C: z
    .string()
    .regex(/^[A-Z]{2}$/, { error: 'must be a country code of two capital letters' })
    .optional(),
  ST: attribute(128).optional(),
  L: attribute(128).optional(),
  O: attribute(64).optional(),
  OU: attribute(64).optional(),
})

/** Ours: as many as one certificate is asked for. */
const NAMES_MOST = 10
const ALTERNATIVES_MOST = 100

const DNS_NAME = /^(\*\.)?([a-z\d_]([a-z\d_-]{0,61}[a-z\d])?\.)*[a-z\d_]([a-z\d_-]{0,61}[a-z\d])?$/i
const DnsName = z.string().max(253).regex(DNS_NAME, { error: 'must be a DNS name, of which the first label may be *' })

const listOfUpTo = <S extends z.ZodType>(one: S) => z.array(one).max(ALTERNATIVES_MOST).optional()

/** Subject and key of a certificate: fields of a body that asks for a request. */
export const subjectFields = {
  cn: attribute(64).meta({ description: 'common name' }),
  algorithm: z.enum(['ECDSA', 'RSA']).default('ECDSA'),
  size: z.int().optional().meta({ description: '256, 384 or 521 for ECDSA; 2048, 3072 or 4096 for RSA' }),
  names: z.array(Names).max(NAMES_MOST).optional(),
  dnsNames: listOfUpTo(DnsName),
  emailAddresses: listOfUpTo(z.email().max(254)),
  ipAddresses: listOfUpTo(z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' })),
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

/** Ours: a request has so many alternative names in all. */
export const fewAlternatives: Rule = {
  message: `dnsNames, emailAddresses and ipAddresses may be ${ALTERNATIVES_MOST} in all`,
  field: 'dnsNames',
  broken: ({ dnsNames, emailAddresses, ipAddresses }) =>
    [dnsNames, emailAddresses, ipAddresses].flatMap((all) => (Array.isArray(all) ? (all as unknown[]) : [])).length >
    ALTERNATIVES_MOST,
}

type SubjectFields = z.infer<z.ZodObject<typeof subjectFields>>

/** The key that is asked for, as the vault names it. */
export const keyOf = ({
  algorithm,
  size,
}: Pick<SubjectFields, 'algorithm' | 'size'>):
  { algorithm: 'rsa'; size: number } | { algorithm: 'ec'; curveid: string } =>
  algorithm === 'RSA'
    ? { algorithm: 'rsa', size: size ?? SIZES.RSA[0] }
    : { algorithm: 'ec', curveid: CURVES[size ?? SIZES.ECDSA[0]] ?? '' } // the rule leaves these sizes

/** The names that are asked for. */
export const namesOf = ({
  cn,
  names,
  dnsNames = [],
  emailAddresses = [],
  ipAddresses = [],
}: Omit<SubjectFields, 'algorithm' | 'size'>): { subject: SubjectName; altNames: AltNames } => ({
  subject: { cn, ...(names && { names }) },
  altNames: { dns: dnsNames, email: emailAddresses, ip: ipAddresses },
})
