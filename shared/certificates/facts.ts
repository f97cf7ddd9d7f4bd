import * as z from 'zod'
import { picked } from '../base/fields.ts'
import { Refusal } from '../base/errors.ts'
import { reached } from '../base/time.ts'
import { pemBytes, pemOf } from '../crypto/asn1/pem.ts'
import { readCertificate } from '../crypto/x509/certificate.ts'
import { Time } from '../http/common-fields.ts'

/** Fields of a record that are read from its certificate. */
export const certificateFields = {
  cert: z.string().meta({ description: 'PEM' }),
  serialNumber: z.string().meta({ description: 'in hex' }),
  subject: z.string(),
  issuer: z.string(),
  notBefore: Time,
  notAfter: Time,
  sha1Fingerprint: z.string(),
  sha256Fingerprint: z.string(),
  sha512Fingerprint: z.string(),
}

/** Ours: maximum characters of a certificate or a request in PEM. */
const PEM_CHARACTERS = 65_536
export const Pem = z.string().min(1).max(PEM_CHARACTERS)

const FACTS = [
  'serialNumber',
  'subject',
  'issuer',
  'notBefore',
  'notAfter',
  'sha1Fingerprint',
  'sha256Fingerprint',
  'sha512Fingerprint',
] as const

/** The certificate without the text around it, which may contain a private key. */
function alone(cert: string): string {
  const bytes = /^\s*-----BEGIN [^-]*-----[^-]*-----END [^-]*-----\s*$/.test(cert)
    ? undefined
    : pemBytes(cert, ['CERTIFICATE'])
  return bytes === undefined ? cert : pemOf('CERTIFICATE', bytes)
}

/** The fields of a record from its certificate. @throws Refusal RULE_BROKEN for a malformed one */
export const factsOf = (cert: string) => ({ cert: alone(cert), ...picked(readCertificate(cert), ...FACTS) })

/** Whether a certificate has expired. */
export const isOver = ({ notAfter }: { readonly notAfter?: string | undefined }, now: Date): boolean =>
  reached(notAfter, now)

/** SHA-256 of the certificates in a filter; a malformed one matches nothing. */
const fingerprintsOf = (certs: readonly string[] | undefined): string[] | undefined =>
  certs?.map((cert) => {
    try {
      return readCertificate(cert).sha256Fingerprint
    } catch (error) {
      if (error instanceof Refusal) return ''
      throw error
    }
  })

/** Parameters of lists of certificates that are not fields of a row. */
export const CERTIFICATE_PARAMETERS = ['subject', 'issuer', 'cert', 'state']

/** The filters of lists of certificates. Names of subjects contain commas, so each filter accepts one value. */
export const filtersOf = ({
  subject,
  issuer,
  cert,
}: {
  readonly subject?: string | undefined
  readonly issuer?: string | undefined
  readonly cert?: readonly string[] | undefined
}) => ({
  subject: subject === undefined ? undefined : [subject],
  issuer: issuer === undefined ? undefined : [issuer],
  sha256Fingerprint: fingerprintsOf(cert),
})
