import * as z from 'zod'
import { entriesOf } from '../base/json.ts'
import { strictObject } from '../base/lazy-fields.ts'
import type { Rule } from './rules.ts'

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/** One attribute of a name, with the maximum length of RFC 5280 (appendix A.1, upper bounds). */
export const attribute = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => text.isWellFormed() && !CONTROL.test(text), { error: 'must have no control characters' })

export const Country = z.string().regex(/^[A-Z]{2}$/, { error: 'must be a country code of two capital letters' })

const Names = strictObject(() => ({
  C: Country.optional(),
  ST: attribute(128).optional(),
  L: attribute(128).optional(),
  O: attribute(64).optional(),
  OU: attribute(64).optional(),
}))

/** Ours: maximum number per certificate. */
const NAMES_MOST = 10
const ALTERNATIVES_MOST = 100

const DNS_NAME = /^(\*\.)?([a-z\d_]([a-z\d_-]{0,61}[a-z\d])?\.)*[a-z\d_]([a-z\d_-]{0,61}[a-z\d])?$/i
const DnsName = z.string().max(253).regex(DNS_NAME, { error: 'must be a DNS name, of which the first label may be *' })

const listOfUpTo = <S extends z.ZodType>(one: S) => z.array(one).max(ALTERNATIVES_MOST).optional()

/** Subject and alternative names of a certificate: fields of a body for a certificate request. */
export const nameFields = {
  cn: attribute(64).meta({ description: 'common name' }),
  names: z.array(Names).max(NAMES_MOST).optional(),
  dnsNames: listOfUpTo(DnsName),
  emailAddresses: listOfUpTo(z.email().max(254)),
  ipAddresses: listOfUpTo(z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' })),
  uris: listOfUpTo(z.string().max(2_048)).meta({ description: 'absolute, such as spiffe://shop.example/payment' }),
  userPrincipalNames: listOfUpTo(z.string().max(256)).meta({
    description: 'as Windows logs in, such as ann@shop.example',
  }),
}

/** Ours: maximum number of alternative names in a request, in total. */
export const fewAlternatives: Rule = {
  message: `alternative names may be ${ALTERNATIVES_MOST} in all`,
  field: 'dnsNames',
  broken: ({ dnsNames, emailAddresses, ipAddresses, uris, userPrincipalNames }) =>
    [dnsNames, emailAddresses, ipAddresses, uris, userPrincipalNames].flatMap(entriesOf).length > ALTERNATIVES_MOST,
}

/** The requested names, in the form of `crypto/x509`. */
export const namesOf = ({
  cn,
  names,
  dnsNames = [],
  emailAddresses = [],
  ipAddresses = [],
  uris = [],
  userPrincipalNames = [],
}: z.infer<z.ZodObject<typeof nameFields>>) => ({
  subject: { cn, ...(names && { names }) },
  altNames: { dns: dnsNames, email: emailAddresses, ip: ipAddresses, uri: uris, upn: userPrincipalNames },
})
